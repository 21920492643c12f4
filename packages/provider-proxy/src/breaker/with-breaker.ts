import type { ChatCall, ChatEvent, ChatProvider } from '../provider/chat-provider.ts'
import type { ImageProvider } from '../provider/image-provider.ts'
import { isProvokedSilence } from '../provider/is-provoked-silence.ts'
import { UpstreamError } from '../provider/upstream-error.ts'
import type { Breaker } from './breaker.ts'
import {
  type Blame,
  createProviderHealth,
  type HealthOptions,
  type ProviderHealth,
} from './provider-health.ts'

/** Whether a call is likely to succeed, known before it is paid. */
export type Guard = {
  /** False while the provider, or this model of it, is known to fail. Asking changes nothing. */
  available(upstreamModel?: string): boolean
  /** The state of the provider's breaker, for a health check: reading it changes nothing. */
  breaker(): Breaker['state']
  /** Whether the provider rejected its key, and has completed nothing since. */
  isKeyRejected(): boolean
}

/**
 * A chat provider with a circuit breaker. `open` itself is never blocked: check `available` before the
 * payment settles, and serve every paid request.
 */
export function withBreaker<Provider extends ChatProvider>(
  provider: Provider,
  options: HealthOptions = {},
): Provider & Guard {
  const health = createProviderHealth(options)
  return {
    ...provider,
    ...guardOf(health),
    async open(call) {
      health.began(call.upstreamModel)
      try {
        const stream = await provider.open(call)
        return { ...stream, events: observed(stream.events, health, call) }
      } catch (error) {
        health.failed(call.upstreamModel, error, blameOf(error, call))
        throw error
      }
    },
  }
}

/** An image provider with a circuit breaker that works the same way. */
export function withImageBreaker<Provider extends ImageProvider>(
  provider: Provider,
  options: HealthOptions = {},
): Provider & Guard {
  const health = createProviderHealth(options)
  return {
    ...provider,
    ...guardOf(health),
    async generate(call) {
      health.began(call.upstreamModel)
      try {
        const result = await provider.generate(call)
        health.succeeded(call.upstreamModel)
        return result
      } catch (error) {
        health.failed(call.upstreamModel, error, blameOfImages(error))
        throw error
      }
    },
  }
}

function guardOf(health: ProviderHealth): Guard {
  return {
    available: (upstreamModel) => health.available(upstreamModel),
    breaker: () => health.state,
    isKeyRejected: () => health.isKeyRejected,
  }
}

/** A few requests could close all models of the provider otherwise. */
function blameOf(error: unknown, call: ChatCall): Blame | undefined {
  return isProvokedSilence(error, call) ? 'model' : undefined
}

/** A request for large images can take longer than the time for a call. */
function blameOfImages(error: unknown): Blame | undefined {
  return error instanceof UpstreamError && error.code === 'upstream_overtime' ? 'model' : undefined
}

/** The same events. A response is a success only once it is complete. */
function observed(
  events: AsyncIterable<ChatEvent>,
  health: ProviderHealth,
  call: ChatCall,
): AsyncIterable<ChatEvent> {
  return {
    [Symbol.asyncIterator]() {
      const inner = events[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const result = await inner.next()
            if (result.done !== true && result.value.type === 'finished') {
              health.succeeded(call.upstreamModel)
            }
            return result
          } catch (error) {
            health.failed(call.upstreamModel, error, blameOf(error, call))
            throw error
          }
        },
        async return() {
          return inner.return?.() ?? { done: true, value: undefined }
        },
      }
    },
  }
}
