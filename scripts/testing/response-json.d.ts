// Tests assert the shape of responses, so they read JSON without a schema.
export {}

declare global {
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- only an interface merges
  interface Response {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the assertions check the shape
    json(): Promise<any>
  }
}
