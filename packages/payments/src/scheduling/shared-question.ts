/** Asks equal questions once while the answer is on its way. */
export function createSharedQuestion<Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const asking = new Map<Question, Promise<Answer>>()
  return function askOnce(question) {
    const known = asking.get(question)
    if (known !== undefined) return known
    const forget = (): void => void asking.delete(question)
    const answer = ask(question)
    answer.then(forget, forget)
    asking.set(question, answer)
    return answer
  }
}
