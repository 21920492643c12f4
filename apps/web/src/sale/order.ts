import { type ChatQuestion, chatBody } from '../service/estimate.ts'

/** One request to buy: where it goes, and what it says. */
export type Order = {
  readonly kind: 'chat' | 'image'
  readonly path: string
  readonly body: object
}

/** An answer that streams. */
export function chatOrder(question: ChatQuestion): Order {
  const body = { ...chatBody(question), stream: true }
  return { kind: 'chat', path: 'v1/chat/completions', body }
}

export type Picture = {
  readonly model: string
  readonly prompt: string
  /** The width and the height in pixels: `1024x768`. */
  readonly size: string
}

/** One image as bytes: the page loads nothing from elsewhere. */
export function imageOrder({ model, prompt, size }: Picture): Order {
  const [width, height] = size.split('x').map(Number)
  const body = { model, prompt, width, height, response_format: 'b64_json' }
  return { kind: 'image', path: 'v1/images/generate', body }
}
