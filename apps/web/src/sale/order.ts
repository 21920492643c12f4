import { type ChatQuestion, chatBody } from '../service/estimate.ts'

type Sent = {
  readonly path: string
  readonly body: object
}

/** One request to buy: the question of the visitor, and the path and the body that are sent. */
export type Order =
  | (Sent & { readonly kind: 'chat'; readonly question: ChatQuestion })
  | (Sent & { readonly kind: 'image'; readonly question: Picture })

export type Kind = Order['kind']
export type OrderOf<Asked extends Kind> = Extract<Order, { readonly kind: Asked }>

/** An answer that streams. */
export function chatOrder(question: ChatQuestion): OrderOf<'chat'> {
  const body = { ...chatBody(question), stream: true }
  return { kind: 'chat', question, path: 'v1/chat/completions', body }
}

export type Picture = {
  readonly model: string
  readonly prompt: string
  /** The width and the height in pixels: `1024x768`. */
  readonly size: string
}

/** One image as bytes: the page loads nothing from elsewhere. */
export function imageOrder(question: Picture): OrderOf<'image'> {
  const { model, prompt, size } = question
  const [width, height] = size.split('x').map(Number)
  const body = { model, prompt, width, height, response_format: 'b64_json' }
  return { kind: 'image', question, path: 'v1/images/generate', body }
}
