// What a node says is at `BpeTables.nodes`. Numbers stand here as they are: V8 folds no constant of
// another module, and these functions are all that most counting does.

/** Where the child of a node on a byte lies, if it has one. */
export function slotOnByte(node: number, byte: number): number {
  return (node >>> 10) + byte
}

/** Whether the node that was found there is that child. */
export function isChild(node: number, byte: number): boolean {
  return (node & 0x1ff) === (0x100 | byte)
}

/** Whether a token ends at a node. */
export function endsToken(node: number): boolean {
  return (node & 0x200) !== 0
}

/** The child of a node on a byte, or 0, a node without token or child. */
export function childNode(nodes: Int32Array, parent: number, byte: number): number {
  const node = nodes[slotOnByte(parent, byte)] ?? 0
  return isChild(node, byte) ? node : 0
}

/** The slot of the child on a byte of the node at `slot`, or 0, which is nobody's child. */
export function childSlot(nodes: Int32Array, slot: number, byte: number): number {
  const child = slotOnByte(nodes[slot] ?? 0, byte)
  return isChild(nodes[child] ?? 0, byte) ? child : 0
}
