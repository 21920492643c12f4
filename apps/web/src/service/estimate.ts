import type { ChatEstimate } from '@farebox/api'
import { useEffect, useState } from 'preact/hooks'
import { callService, type Reply } from './call-service.ts'

export type ChatQuestion = {
  readonly model: string
  readonly prompt: string
  /** Undefined while no valid number is typed. */
  readonly maxTokens: number | undefined
}

/** The body of the chat request that asks the question. */
export function chatBody({ model, prompt, maxTokens }: ChatQuestion): object {
  return { model, messages: [{ role: 'user', content: prompt }], max_tokens: maxTokens }
}

type Line = {
  readonly label: string
  readonly quantity?: number
  readonly rate_usd?: string
  readonly basis_points?: number
  readonly amount_usd: string
}

export type Estimate = Omit<ChatEstimate, 'explanation'> & { readonly explanation: readonly Line[] }

const typingPauseMs = 350

/**
 * Asks for the price of a question once it has stopped changing, and again after a limit. An
 * undefined question is not asked.
 */
export function useEstimate(question: ChatQuestion | undefined): Reply<Estimate> | undefined {
  const [reply, setReply] = useState<Reply<Estimate>>()
  useEffect(() => {
    if (question === undefined) return undefined
    const stopped = new AbortController()
    const ask = async (): Promise<void> => {
      const body = chatBody(question)
      const path = 'v1/estimate?explain=1'
      const next = await callService<Estimate>({ path, body, signal: stopped.signal })
      if (stopped.signal.aborted) return
      setReply(next)
      if (next.status === 'refused' && next.retryMs !== undefined) later(next.retryMs)
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = (ms: number): void => {
      timer = setTimeout(() => {
        ask().catch(ignoreAbort)
      }, ms)
    }
    later(typingPauseMs)
    return () => {
      clearTimeout(timer)
      stopped.abort()
    }
  }, [question?.model, question?.prompt, question?.maxTokens])
  return reply
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
}
