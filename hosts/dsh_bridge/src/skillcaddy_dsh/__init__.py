"""skillcaddy for DeepSeek Harness: the declaration of the host, its rendered files, and a driver of the real one."""
