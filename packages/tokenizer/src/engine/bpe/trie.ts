// `BpeTables.nodes` documents the format of a node. The numbers are literals because V8 does not
// fold constants of another module, and most of the counting time is spent in these functions.

/** The slot of the child of a node on a byte, if it has one. */
export function slotOnByte(node: number, byte: number): number {
  return (node >>> 10) + byte
}

/** Whether the node at that slot is that child. */
export function isChild(node: number, byte: number): boolean {
  return (node & 0x1ff) === (0x100 | byte)
}

/** Whether a token ends at a node. */
export function endsToken(node: number): boolean {
  return (node & 0x200) !== 0
}

/** The child of a node on a byte; 0, a node without token or child, otherwise. */
export function childNode(nodes: Int32Array, parent: number, byte: number): number {
  const node = nodes[slotOnByte(parent, byte)] ?? 0
  return isChild(node, byte) ? node : 0
}

/** The slot of the child on a byte of the node at `slot`; 0, which is never a child, if none. */
export function childSlot(nodes: Int32Array, slot: number, byte: number): number {
  const child = slotOnByte(nodes[slot] ?? 0, byte)
  return isChild(nodes[child] ?? 0, byte) ? child : 0
}
