import { createGather } from './gather.ts'
import { systemTimers } from './timers.ts'

export type SharedReadOptions<Question, Answer> = {
  /** The most questions in one read. */
  readonly maxQuestions: number
  /** Under load, how long questions wait for others at most. */
  readonly maxPauseMs: number
  /** Answers in the order of the questions. */
  readonly read: (questions: readonly Question[]) => Promise<readonly Answer[]>
}

/** Asks one by one what is read together: questions of one moment are one read, and fail together. */
export function createSharedRead<Question, Answer>({
  maxQuestions,
  maxPauseMs,
  read,
}: SharedReadOptions<Question, Answer>): (question: Question) => Promise<Answer> {
  type Asked = PromiseWithResolvers<Answer> & { readonly question: Question }

  const add = createGather<Asked>({
    timers: systemTimers,
    clock: Date.now,
    pausePerItemMs: 5,
    maxPauseMs,
    maxGroupSize: () => maxQuestions,
    maxGroupsInProgress: Number.POSITIVE_INFINITY,
    async run(asked) {
      try {
        const answers = await read(asked.map(({ question }) => question))
        for (const [index, answer] of answers.entries()) asked[index]?.resolve(answer)
      } catch (error) {
        for (const { reject } of asked) reject(error)
      }
    },
  })
  return function ask(question) {
    const asked = { ...Promise.withResolvers<Answer>(), question }
    add(asked)
    return asked.promise
  }
}
