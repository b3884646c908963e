@echo off
rem The MCP server on Windows; see skillcaddy-mcp. A missing engine is a failed server here; the hook tells the user.
setlocal
call "%~dp0python.cmd" mcp
exit /b %errorlevel%
