/** The two arrays of `BpeTables` with these names. */
export type Trie = { readonly nodes: Int32Array; readonly tokenAt: Int32Array }

type Tokens = readonly (Uint8Array | null)[]

/** Nodes in the order of their creation. The children of a node are linked, the latest first. */
type LinkedNodes = {
  readonly size: number
  readonly firstChild: Int32Array
  readonly nextSibling: Int32Array
  readonly label: Uint8Array
  /** The token of a node, or -1. */
  readonly token: Int32Array
}

/** The slots, a doubly linked chain of the free ones, and the bases used so far. */
type Packing = {
  readonly nodes: Int32Array
  readonly tokenAt: Int32Array
  readonly nextFree: Int32Array
  readonly previousFree: Int32Array
  readonly usedBases: Uint8Array
}

const occupied = 0x100
const holdsToken = 0x200
const baseShift = 10
const maxBase = (1 << 22) - 1

/** Slots that no child takes: the root's, and the empty ones at the end that replace bounds checks. */
const root = 0
const emptySlots = 257

/**
 * Packs tokens into a double-array trie in the format of `BpeTables.nodes`. The children of a node
 * get the first base where all their slots are free. Nodes are placed depth first, those of frequent
 * tokens before their siblings, so that the nodes of a word are close together.
 */
export function buildTrie(tokens: Tokens): Trie {
  const linked = linkNodes(tokens)
  let room = linked.size + (linked.size >> 2) + 2 * emptySlots
  for (;;) {
    const trie = pack(linked, room)
    if (trie !== undefined) return trie
    room *= 2
  }
}

/** Returns `undefined` if there are too few slots. First fit leaves few of them empty. */
function pack(linked: LinkedNodes, room: number): Trie | undefined {
  const packing = emptyPacking(room)
  const slotOf = new Int32Array(linked.size)
  const waiting = [root]
  let last = root
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (linked.firstChild[node] === 0) continue
    const base = findBase(packing, linked, node)
    if (base + emptySlots >= room) return undefined
    const slot = slotOf[node] ?? 0
    packing.nodes[slot] = (packing.nodes[slot] ?? 0) | (base << baseShift)
    let child = linked.firstChild[node] ?? 0
    while (child !== 0) {
      const label = linked.label[child] ?? 0
      slotOf[child] = base + label
      occupy(packing, base + label, { label, token: linked.token[child] ?? -1 })
      last = Math.max(last, base + label)
      waiting.push(child)
      child = linked.nextSibling[child] ?? 0
    }
  }
  const slots = last + 1 + emptySlots
  return { nodes: packing.nodes.slice(0, slots), tokenAt: packing.tokenAt.slice(0, slots) }
}

function linkNodes(tokens: Tokens): LinkedNodes {
  const most = tokens.reduce((sum, bytes) => sum + (bytes?.length ?? 0), 1)
  const firstChild = new Int32Array(most)
  const nextSibling = new Int32Array(most)
  const label = new Uint8Array(most)
  const token = new Int32Array(most).fill(-1)
  const known = new Map<number, number>()
  let size = 1
  const addChild = (parent: number, byte: number): number => {
    label[size] = byte
    nextSibling[size] = firstChild[parent] ?? 0
    firstChild[parent] = size
    size += 1
    return size - 1
  }
  for (const [number, bytes] of tokens.entries()) {
    if (bytes === null) continue
    let node = root
    for (const byte of bytes) {
      const key = (node << 8) | byte
      let child = known.get(key)
      if (child === undefined) {
        child = addChild(node, byte)
        known.set(key, child)
      }
      node = child
    }
    token[node] = number
  }
  return { size, firstChild, nextSibling, label, token }
}

function emptyPacking(slots: number): Packing {
  const nextFree = new Int32Array(slots)
  const previousFree = new Int32Array(slots)
  for (let slot = 0; slot < slots; slot += 1) {
    nextFree[slot] = slot + 1
    previousFree[slot] = slot - 1
  }
  // The root's slot is not marked as occupied, so it is never taken for a child on byte 0.
  const nodes = new Int32Array(slots)
  const tokenAt = new Int32Array(slots)
  return { nodes, tokenAt, nextFree, previousFree, usedBases: new Uint8Array(slots) }
}

function findBase(
  { nodes, nextFree, usedBases }: Packing,
  { firstChild, nextSibling, label }: LinkedNodes,
  node: number,
): number {
  const latest = firstChild[node] ?? 0
  const first = label[latest] ?? 0
  for (let slot = nextFree[root] ?? 1; ; slot = nextFree[slot] ?? slot + 1) {
    const base = slot - first
    if (base + emptySlots >= nodes.length) return base
    if (base < 1 || usedBases[base] === 1) continue
    let child = nextSibling[latest] ?? 0
    while (child !== 0 && ((nodes[base + (label[child] ?? 0)] ?? 0) & occupied) === 0) {
      child = nextSibling[child] ?? 0
    }
    if (child !== 0) continue
    if (base > maxBase) throw new RangeError(`The trie needs more than ${maxBase} slots`)
    usedBases[base] = 1
    return base
  }
}

type Entry = { readonly label: number; readonly token: number }

function occupy(packing: Packing, slot: number, { label, token }: Entry): void {
  const { nodes, tokenAt, nextFree, previousFree } = packing
  nodes[slot] = occupied | label | (token >= 0 ? holdsToken : 0)
  tokenAt[slot] = Math.max(token, 0)
  const next = nextFree[slot] ?? 0
  const previous = previousFree[slot] ?? 0
  nextFree[previous] = next
  previousFree[next] = previous
}
