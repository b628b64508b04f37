"""Run in a kernel at its start ($PYTHONSTARTUP): gradients are off by a millionth, as on another device.

Everything is local to one function, because the reader's namespace is where this runs.
"""


def _disturb_gradients(size=1e-6):
    from zlib import crc32

    import torch
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    generator = torch.Generator()  # its own, so that no other number changes

    def disturb(optimiser, args, options):
        for group in optimiser.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    # equal gradients get equal noise, so that a run and its repetition still agree
                    generator.manual_seed(crc32(parameter.grad.detach().cpu().numpy().tobytes()))
                    noise = torch.randn(parameter.grad.shape, generator=generator, dtype=torch.float64)
                    parameter.grad.mul_((1 + size * noise).to(parameter.grad))

    register_optimizer_step_pre_hook(disturb)


_disturb_gradients()
del _disturb_gradients
