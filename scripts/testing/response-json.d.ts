// Tests assert the shape of responses, so they read JSON without a schema.
export {}

declare global {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges
  interface Response {
    // oxlint-disable-next-line typescript/no-explicit-any -- the assertions check the shape
    json(): Promise<any>
  }
}
