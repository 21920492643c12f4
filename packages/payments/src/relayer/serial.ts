/** Runs tasks one after the other, each whatever became of the one before. */
export function createSerial(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return function serial<Result>(task: () => Promise<Result>): Promise<Result> {
    const run = last.then(task, task)
    last = run.catch(() => undefined)
    return run
  }
}
