"""Networks: from a sum of hinges to backpropagation."""
