# Runs in the reader's namespace when a kernel starts ($PYTHONSTARTUP), so it leaves no name in it.
__import__("tools.recorder", fromlist=["start"]).start()
