"""A network as ONNX, for programs in other languages: needs the package onnx."""

from pathlib import Path

import numpy as np

from agents.network import CLIP, NUM_HINTS, SUREST, Network
from experiments.errors import UsageError
from tabletop.game import MAX_PLAYERS

OPSET = 17


def write_onnx(network: Network, path: Path) -> None:
    """Write `inputs` float32[decisions, num_inputs] -> `logits` [decisions, num_actions], `values` [decisions, MAX_PLAYERS].

    Illegal actions have logits too: leave them out. A network without a value gives logits alone.

    Raises:
        UsageError: the package onnx is not installed.
    """
    try:
        import onnx  # noqa: PLC0415
        from onnx import helper, numpy_helper  # noqa: PLC0415
    except ModuleNotFoundError:
        raise UsageError("ONNX needs the package onnx; install it with: pip install onnx") from None
    constants = {name: tensor for name, tensor in network.tensors().items() if "estimates" not in name}
    hints = [network.num_actions] * NUM_HINTS * network.hinted
    seen = network.num_inputs - network.hints - len(network.mean)
    constants |= {"parts": np.array([size for size in (seen, len(network.mean), *hints) if size], np.int64)}
    constants |= {"low": np.array(-CLIP, np.float32), "high": np.array(CLIP, np.float32)}
    names = ["seen", *["told"] * network.described, *(f"hint.{number}" for number in range(len(hints)))]
    nodes = [helper.make_node("Split", ["inputs", "parts"], names, axis=1)]
    last = "seen"
    if network.described:
        nodes += [
            helper.make_node("Sub", ["told", "description.mean"], ["centered"]),
            helper.make_node("Div", ["centered", "description.scale"], ["scaled"]),
            helper.make_node("Clip", ["scaled", "low", "high"], ["clipped"]),
            helper.make_node("Concat", ["seen", "clipped"], ["known"], axis=1),
        ]
        last = "known"

    def layer(name: str, source: str, target: str, activation: str | None) -> None:
        linear = target if activation is None else f"{target}.linear"
        nodes.append(helper.make_node("Gemm", [source, f"{name}.weight", f"{name}.bias"], [linear], transB=1))
        if activation is not None:
            nodes.append(helper.make_node(activation, [linear], [target]))

    known = last
    for number in range(len(network.trunk)):
        layer(f"trunk.{number}", last, f"latent.{number}", "Relu")
        last = f"latent.{number}"
    layer("policy", last, "corrections" if network.hinted else "logits", None)
    if network.hinted:
        constants |= {f"sharpness.{number}": weight[None] for number, weight in enumerate(network.sharpness)}
        for number in range(NUM_HINTS):
            nodes.append(
                helper.make_node("Mul", [f"hint.{number}", f"sharpness.{number}"], [f"sharp.{number}"])
            )
        nodes.append(helper.make_node("Sum", ["corrections", "sharp.0", "sharp.1"], ["logits"]))
    outputs = [("logits", network.num_actions)]
    if network.value:
        seat = len(network.mean) // MAX_PLAYERS
        last = known
        for number in range(len(network.value) - 1):
            layer(f"value.{number}", last, f"hope.{number}", "Relu")
            last = f"hope.{number}"
        layer(f"value.{len(network.value) - 1}", last, "corrections.value", None)
        if network.described:
            places = np.arange(MAX_PLAYERS, dtype=np.int64) * seat + seat - 1
            constants |= {"places": places, "surest": np.array(SUREST, np.float32)}
            constants |= {"surest.low": np.array(-SUREST, np.float32)}
            nodes += [
                helper.make_node("Gather", ["told", "places"], ["expected"], axis=1),
                helper.make_node("Clip", ["expected", "surest.low", "surest"], ["expected.clipped"]),
                helper.make_node("Atanh", ["expected.clipped"], ["expected.logits"]),
                helper.make_node("Add", ["corrections.value", "expected.logits"], ["hopes"]),
            ]
        nodes.append(
            helper.make_node("Tanh", ["hopes" if network.described else "corrections.value"], ["values"])
        )
        outputs.append(("values", MAX_PLAYERS))
    used = {name for node in nodes for name in node.input}
    float32 = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "ppo",
        [helper.make_tensor_value_info("inputs", float32, ["decisions", network.num_inputs])],
        [helper.make_tensor_value_info(name, float32, ["decisions", size]) for name, size in outputs],
        [
            numpy_helper.from_array(np.ascontiguousarray(array), name)
            for name, array in constants.items()
            if name in used
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    onnx.checker.check_model(model)
    onnx.save(model, path)
