/** Passes items from callbacks to one reader, in order. */
export type EventQueue<Item> = {
  /** `weight` is the size of the item, in the unit of `highWater`. */
  push(item: Item, weight: number): void
  end(): void
  fail(error: Error): void
  readonly items: AsyncIterable<Item>
}

/** Callbacks of a queue to its source. */
export type QueueHooks = {
  /** The weight of waiting items at which the source is paused. */
  readonly highWater: number
  onFull(): void
  onDrained(): void
  /** The reader left before the end. Called once. */
  onLeave(): void
}

type Queue<Item> = {
  readonly hooks: QueueHooks
  items: Item[]
  head: number
  /** The total weight added since the queue was last empty. */
  weight: number
  full: boolean
  waiting: Waiting<Item> | undefined
  closed: { readonly error?: Error } | undefined
}

type Waiting<Item> = {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void
  readonly reject: (error: Error) => void
}

export function createEventQueue<Item>(hooks: QueueHooks): EventQueue<Item> {
  const queue: Queue<Item> = {
    hooks,
    items: [],
    head: 0,
    weight: 0,
    full: false,
    waiting: undefined,
    closed: undefined,
  }
  const iterator: AsyncIterator<Item, undefined> = {
    next: () => next(queue),
    return: () => leave(queue),
  }
  return {
    push: (item, weight) => push(queue, item, weight),
    end: () => close(queue, {}),
    fail: (error) => close(queue, { error }),
    items: { [Symbol.asyncIterator]: () => iterator },
  }
}

function push<Item>(queue: Queue<Item>, item: Item, weight: number): void {
  if (queue.closed !== undefined) return
  const { waiting, hooks } = queue
  if (waiting !== undefined) {
    queue.waiting = undefined
    waiting.resolve({ done: false, value: item })
    return
  }
  queue.items.push(item)
  queue.weight += weight
  if (queue.full || queue.weight < hooks.highWater) return
  queue.full = true
  hooks.onFull()
}

function next<Item>(queue: Queue<Item>): Promise<IteratorResult<Item, undefined>> {
  const value = queue.items[queue.head]
  if (value === undefined) {
    return new Promise((resolve, reject) => {
      queue.waiting = { resolve, reject }
      settle(queue)
    })
  }
  advance(queue)
  return Promise.resolve({ done: false, value })
}

function advance<Item>(queue: Queue<Item>): void {
  queue.head += 1
  if (queue.head < queue.items.length) return
  queue.items = []
  queue.head = 0
  queue.weight = 0
  if (!queue.full || queue.closed !== undefined) return
  queue.full = false
  queue.hooks.onDrained()
}

function close<Item>(queue: Queue<Item>, how: { readonly error?: Error }): void {
  queue.closed ??= how
  settle(queue)
}

/** Waiting items are read before the end. */
function settle<Item>(queue: Queue<Item>): void {
  const { waiting, closed } = queue
  if (waiting === undefined || closed === undefined) return
  queue.waiting = undefined
  if (closed.error === undefined) waiting.resolve({ done: true, value: undefined })
  else waiting.reject(closed.error)
}

function leave<Item>(queue: Queue<Item>): Promise<IteratorResult<Item, undefined>> {
  const isEarly = queue.closed === undefined
  queue.closed = {}
  queue.items = []
  queue.head = 0
  settle(queue)
  if (isEarly) queue.hooks.onLeave()
  return Promise.resolve({ done: true, value: undefined })
}
