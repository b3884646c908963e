@echo off
rem Finds the Python that has skillcaddy and runs the entry point named %1; errorlevel 1 when there is none.
rem The order is that of python.sh.
set "SC_DATA=%CODEBUDDY_PLUGIN_DATA%"
if not defined SC_DATA set "SC_DATA=%CLAUDE_PLUGIN_DATA%"
set "SC_KNOWN="
if defined SC_DATA if exist "%SC_DATA%\python" set /p SC_KNOWN=<"%SC_DATA%\python"
if defined SC_KNOWN if exist "%SC_KNOWN%" goto run
for %%P in ("%SKILLCADDY_PYTHON%" python.exe python3.exe) do (
  "%%~P" -P -c "import tantivy, skillcaddy_workbuddy.entry" >nul 2>nul <nul && (set "SC_KNOWN=%%~P" & goto run)
)
exit /b 1
:run
"%SC_KNOWN%" -P -c "from skillcaddy_workbuddy.entry import %1; %1()"
if errorlevel 1 exit /b 1
exit /b 0
