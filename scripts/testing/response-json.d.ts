// Tests look into answers whose shape is what they assert: there, JSON is read without a schema.
export {}

declare global {
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- only an interface merges
  interface Response {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what an assertion is about to find out
    json(): Promise<any>
  }
}
