import type { TestGateway } from './open-gateway.ts'
import { chatPath, post, signPayment } from './sign-payment.ts'

/** A chat request of one message. */
export function chatOf(text: string, fields: Readonly<Record<string, unknown>> = {}) {
  const messages = [{ role: 'user', content: text }]
  return { model: 'openai/gpt-4.1-mini', messages, max_tokens: 2000, ...fields }
}

/** Signs what a request asks for and sends it with the payment. */
export async function buy(
  gateway: TestGateway,
  payer: number,
  { body, path = chatPath }: { readonly body: unknown; readonly path?: string },
): Promise<Response> {
  const { v2 } = await signPayment(gateway, payer, { path, body })
  return post(gateway, path, { body, headers: v2 })
}

/** The data of a stream's events. */
export function eventsOf(text: string): readonly string[] {
  return text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []))
}
