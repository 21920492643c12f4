/**
 * Hands items from callbacks to one reader, in order.
 *
 * `onFull` and `onDrained` steer the source; `onLeave` is called once when the reader leaves before
 * the end.
 */
export type EventQueue<Item> = {
  push(item: Item): void
  end(): void
  fail(error: Error): void
  readonly items: AsyncIterable<Item>
}

type Waiting<Item> = {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void
  readonly reject: (error: Error) => void
}

type QueueHooks = {
  readonly highWater: number
  onFull(): void
  onDrained(): void
  onLeave(): void
}

export function createEventQueue<Item>(hooks: QueueHooks): EventQueue<Item> {
  let items: Item[] = []
  let head = 0
  let waiting: Waiting<Item> | undefined
  let closed: { readonly error?: Error } | undefined
  let full = false

  function settle(): void {
    if (waiting === undefined || closed === undefined) return
    const { resolve, reject } = waiting
    waiting = undefined
    if (closed.error === undefined) resolve({ done: true, value: undefined })
    else reject(closed.error)
  }

  function take(): Item | undefined {
    const item = items[head]
    head += 1
    if (head < items.length) return item
    items = []
    head = 0
    if (full && closed === undefined) {
      full = false
      hooks.onDrained()
    }
    return item
  }

  const iterator: AsyncIterator<Item, undefined> = {
    next() {
      if (head < items.length) {
        const value = take()
        if (value !== undefined) return Promise.resolve({ done: false, value })
      }
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        settle()
      })
    },
    return() {
      if (closed === undefined) {
        closed = {}
        hooks.onLeave()
      }
      closed = {}
      items = []
      head = 0
      settle()
      return Promise.resolve({ done: true, value: undefined })
    },
  }

  return {
    push(item) {
      if (closed !== undefined) return
      if (waiting !== undefined) {
        const { resolve } = waiting
        waiting = undefined
        resolve({ done: false, value: item })
        return
      }
      items.push(item)
      if (!full && items.length - head >= hooks.highWater) {
        full = true
        hooks.onFull()
      }
    },
    end() {
      closed ??= {}
      settle()
    },
    fail(error) {
      closed ??= { error }
      settle()
    },
    items: { [Symbol.asyncIterator]: () => iterator },
  }
}
