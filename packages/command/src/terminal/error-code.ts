/** The code of a system error or of one of ours, such as `ENOENT`; `undefined` without one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Whether the error means that a file or folder does not exist. Any other error is to be reported. */
export function isMissing(error: unknown): boolean {
  return /^(ENOENT|ENOTDIR)$/.test(errorCode(error) ?? '')
}
