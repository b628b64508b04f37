"""What chapters use before it is taught, and what belongs to none of them."""
