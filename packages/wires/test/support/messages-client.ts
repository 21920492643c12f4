import Anthropic from '@anthropic-ai/sdk'
import { messagesWire } from '../../src/index.ts'
import { type Answer, openWireServer, type WireServer } from './wire-server.ts'

/** The client of Anthropic, and what the wire made of its requests, until the test has finished. */
export async function openMessages(
  ...answers: Answer[]
): Promise<{ readonly client: Anthropic } & Pick<WireServer, 'chats'>> {
  const { url, chats } = await openWireServer(messagesWire, answers.values())
  return { client: new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 }), chats }
}
