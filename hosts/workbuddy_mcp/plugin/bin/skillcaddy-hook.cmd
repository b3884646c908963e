@echo off
rem The hook on Windows; see skillcaddy-hook. The exit code is always 0.
setlocal
call "%~dp0python.cmd" hook
if not errorlevel 1 exit /b 0
if not "%~1"=="UserPromptSubmit" exit /b 0
if not defined SC_DATA exit /b 0
if exist "%SC_DATA%\told" exit /b 0
if not exist "%SC_DATA%" mkdir "%SC_DATA%" >nul 2>nul
type nul >"%SC_DATA%\told" 2>nul && type "%~dp0..\notice.json"
exit /b 0
