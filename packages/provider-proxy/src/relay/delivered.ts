import type { ChatChunk } from '@farebox/api'

/** The text of one choice, empty if it has only images so far. */
export type DeliveredChoice = {
  readonly index: number
  readonly content: string
  readonly reasoning: string
  /** Names and arguments of tool calls, one after another. */
  readonly toolCalls: string
  readonly refusal: string
}

/**
 * What the provider has sent, including after a disconnect. It is counted if the provider sends no
 * usage.
 */
export type Delivered = {
  readonly choices: readonly DeliveredChoice[]
  /** UTF-8 bytes of all texts: an upper bound of the tokens. */
  readonly bytes: number
  readonly chunks: number
  /** Images that the model made, which are not in any text. */
  readonly images: number
  /** UTF-8 bytes beyond the limit, whose text is not kept. */
  readonly bytesNotKept: number
}

/** Adds up what chunks carry. */
export type DeliveredCounter = {
  add(chunk: ChatChunk): void
  readonly delivered: Delivered
}

type Part = Exclude<keyof DeliveredChoice, 'index'>
type Kept = Record<Part, string> & { readonly index: number }
type Delta = ChatChunk['choices'][number]['delta']

/** Keeps texts up to a limit in bytes, so that no provider can exhaust the memory. */
export function createDeliveredCounter(maxBytes: number): DeliveredCounter {
  const choices = new Map<number, Kept>()
  let bytes = 0
  let chunks = 0
  let images = 0
  let bytesNotKept = 0

  function choiceOf(index: number): Kept {
    const choice = choices.get(index) ?? emptyChoice(index)
    choices.set(index, choice)
    return choice
  }
  function keep(choice: Kept, part: Part, text: string | null | undefined): void {
    if (text === undefined || text === null || text === '') return
    const size = Buffer.byteLength(text)
    bytes += size
    if (bytes - bytesNotKept > maxBytes) {
      bytesNotKept += size
      return
    }
    choice[part] += text
  }

  return {
    add(chunk) {
      chunks += 1
      for (const { index, delta } of chunk.choices) {
        const choice = choiceOf(index)
        keep(choice, 'content', delta.content)
        keep(choice, 'reasoning', delta.reasoning ?? detailsText(delta))
        keep(choice, 'refusal', delta.refusal)
        images += delta.images?.length ?? 0
        if (delta.tool_calls !== undefined) keep(choice, 'toolCalls', toolText(delta.tool_calls))
      }
    },
    get delivered() {
      return { choices: [...choices.values()], bytes, chunks, images, bytesNotKept }
    },
  }
}

function emptyChoice(index: number): Kept {
  return { index, content: '', reasoning: '', toolCalls: '', refusal: '' }
}

function detailsText(delta: Delta): string | undefined {
  return delta.reasoning_details?.map(({ text, summary }) => text ?? summary ?? '').join('')
}

function toolText(calls: NonNullable<Delta['tool_calls']>): string {
  return calls
    .map((call) => (call.function?.name ?? '') + (call.function?.arguments ?? ''))
    .join('')
}

/** Whether nothing of a completion has arrived yet: a role alone does not count. */
export function isNothing({ bytes, images }: Pick<Delivered, 'bytes' | 'images'>): boolean {
  return bytes === 0 && images === 0
}
