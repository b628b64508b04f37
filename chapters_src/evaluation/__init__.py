"""How well a model does, how sure one may be of that, and why it does well at all."""
