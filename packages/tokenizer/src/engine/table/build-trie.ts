/** The two arrays of `BpeTables` with these names. */
export type Trie = { readonly nodes: Int32Array; readonly tokenAt: Int32Array }

/** `first` is the lowest token at or below a node. */
type Node = {
  readonly children: Map<number, Node>
  readonly depth: number
  token: number
  first: number
  slot: number
}

/** The slots, a chain of the free slots, and the bases used so far. */
type Packing = {
  readonly nodes: number[]
  readonly tokenAt: number[]
  readonly nextFree: number[]
  readonly usedBases: Set<number>
  firstFree: number
}

const occupied = 0x100
const holdsToken = 0x200
const baseShift = 10
const largestBase = (1 << 22) - 1

/**
 * Packs tokens into a double-array trie in the format of `BpeTables.nodes`. The children of a node
 * get the first base where all their slots are free, frequent tokens first, so that these are close
 * together. 257 empty slots replace bounds checks.
 */
export function buildTrie(tokens: readonly (Uint8Array | null)[]): Trie {
  const packing: Packing = {
    // Slot 0 is the root. It is not marked as occupied, so it is never taken for a child on byte 0.
    nodes: [0],
    tokenAt: [0],
    nextFree: [1],
    usedBases: new Set(),
    firstFree: 1,
  }
  for (const node of inOrder(plant(tokens))) {
    const labels = [...node.children.keys()].sort((a, b) => a - b)
    const base = findBase(packing, labels)
    packing.nodes[node.slot] = (packing.nodes[node.slot] ?? 0) | (base << baseShift)
    for (const label of labels) {
      const child = node.children.get(label)
      if (child === undefined) continue
      child.slot = base + label
      occupy(packing, child.slot, { label, token: child.token })
    }
  }
  const slots = packing.nodes.length + 257
  const trie = { nodes: new Int32Array(slots), tokenAt: new Int32Array(slots) }
  trie.nodes.set(packing.nodes)
  trie.tokenAt.set(packing.tokenAt)
  return trie
}

function createNode(depth: number): Node {
  return { children: new Map(), depth, token: -1, first: Number.POSITIVE_INFINITY, slot: 0 }
}

function plant(tokens: readonly (Uint8Array | null)[]): Node {
  const root = createNode(0)
  for (const [token, bytes] of tokens.entries()) {
    if (bytes === null) continue
    let node = root
    for (const byte of bytes) {
      const child = node.children.get(byte) ?? createNode(node.depth + 1)
      child.first = Math.min(child.first, token)
      node.children.set(byte, child)
      node = child
    }
    node.token = token
  }
  return root
}

/** The nodes with children: low tokens first, a parent before its children. */
function inOrder(root: Node): readonly Node[] {
  root.first = 0
  const found = [root]
  for (const node of found) {
    for (const child of node.children.values()) if (child.children.size > 0) found.push(child)
  }
  return found.sort((a, b) => a.first - b.first || a.depth - b.depth)
}

function findBase(
  { nodes, nextFree, usedBases, firstFree }: Packing,
  labels: readonly number[],
): number {
  const [first = 0] = labels
  for (let slot = firstFree; ; slot = nextFree[slot] ?? slot + 1) {
    const base = slot - first
    if (base < 1 || usedBases.has(base)) continue
    if (labels.some((label) => ((nodes[base + label] ?? 0) & occupied) !== 0)) continue
    if (base > largestBase) throw new RangeError(`The trie needs more than ${largestBase} slots`)
    usedBases.add(base)
    return base
  }
}

type Entry = { readonly label: number; readonly token: number }

function occupy(packing: Packing, slot: number, { label, token }: Entry): void {
  const { nodes, tokenAt } = packing
  while (nodes.length <= slot) {
    nodes.push(0)
    tokenAt.push(0)
  }
  nodes[slot] = occupied | label | (token >= 0 ? holdsToken : 0)
  tokenAt[slot] = Math.max(token, 0)
  unlink(packing, slot)
}

/** Removes a slot from the chain by walking from the head, which is always near. */
function unlink(packing: Packing, slot: number): void {
  const { nextFree } = packing
  while (nextFree.length <= slot) nextFree.push(nextFree.length + 1)
  if (packing.firstFree === slot) {
    packing.firstFree = nextFree[slot] ?? slot + 1
    return
  }
  let before = slot - 1
  while (before > 0 && ((packing.nodes[before] ?? 0) & occupied) !== 0) before -= 1
  nextFree[before] = nextFree[slot] ?? slot + 1
}
