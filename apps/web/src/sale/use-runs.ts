import { useRef } from 'preact/hooks'
import { watchPayment } from '../pay/watch-payment.ts'
import type { Update, Watcher } from './buy-answer.ts'
import { problemOf } from './problem-of.ts'

export type Runs = {
  /** Starts a run, and shows why it failed. Only the last run, and the payment that it made, update the sale. */
  readonly run: (task: (watcher: Watcher) => Promise<void>) => void
  /** Aborts the run, which still shows its end. */
  readonly stop: () => void
  /** Aborts the run, which changes nothing from now on. */
  readonly supersede: () => void
}

/** The runs of one sale, one at a time. */
export function useRuns(change: Update): Runs {
  const running = useRef(new AbortController())
  return {
    run: (task) => {
      const mine = new AbortController()
      running.current = mine
      const update: Update = (next) => {
        if (running.current === mine) change(next)
      }
      const superseded = new AbortController()
      let watched: string | undefined
      const onPayment = (id: string): void => {
        if (watched === id) return
        watched = id
        watchPayment(id, superseded.signal, (payment) => {
          update({ payment })
          if (running.current !== mine) superseded.abort()
        }).catch(() => undefined)
      }
      task({ signal: mine.signal, update, onPayment }).catch((error: unknown) => {
        update(({ stage }) => ({ stage: 'failed', problem: problemOf(error, stage) }))
      })
    },
    stop: () => {
      running.current.abort()
    },
    supersede: () => {
      running.current.abort()
      running.current = new AbortController()
    },
  }
}
