/** The two arrays of `BpeTables` by these names. */
export type Trie = { readonly nodes: Int32Array; readonly tokenAt: Int32Array }

type Node = { readonly children: Map<number, Node>; token: number }

/** Slots, free slots in a chain, and the bases given so far. */
type Packing = {
  readonly nodes: number[]
  readonly tokenAt: number[]
  readonly nextFree: number[]
  readonly usedBases: Set<number>
  firstFree: number
}

const occupied = 256
const holdsToken = 512
const baseShift = 10
const largestBase = (1 << 22) - 1

/**
 * Packs tokens into a double-array trie, as `BpeTables.nodes` says: breadth first, each family of
 * children at the first base where all its slots are free. 257 empty slots replace bounds tests.
 */
export function buildTrie(tokens: readonly (Uint8Array | null)[]): Trie {
  const packing: Packing = {
    // Slot 0 is the root. It is not marked as occupied: it is no leaf's child on byte 0.
    nodes: [0],
    tokenAt: [0],
    nextFree: [1],
    usedBases: new Set(),
    firstFree: 1,
  }
  const queue = [{ node: plant(tokens), slot: 0 }]
  for (const { node, slot } of queue) {
    if (node.children.size === 0) continue
    const labels = [...node.children.keys()].sort((a, b) => a - b)
    const base = findBase(packing, labels)
    packing.nodes[slot] = (packing.nodes[slot] ?? 0) | (base << baseShift)
    for (const label of labels) {
      const child = node.children.get(label)
      if (child === undefined) continue
      occupy(packing, base + label, { label, token: child.token })
      queue.push({ node: child, slot: base + label })
    }
  }
  const slots = packing.nodes.length + 257
  const trie = { nodes: new Int32Array(slots), tokenAt: new Int32Array(slots) }
  trie.nodes.set(packing.nodes)
  trie.tokenAt.set(packing.tokenAt)
  return trie
}

function plant(tokens: readonly (Uint8Array | null)[]): Node {
  const root: Node = { children: new Map(), token: -1 }
  for (const [token, bytes] of tokens.entries()) {
    if (bytes === null) continue
    let node = root
    for (const byte of bytes) {
      const child = node.children.get(byte) ?? { children: new Map(), token: -1 }
      node.children.set(byte, child)
      node = child
    }
    node.token = token
  }
  return root
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

/** Takes a slot out of the chain: walks from the head, which is never far behind. */
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
