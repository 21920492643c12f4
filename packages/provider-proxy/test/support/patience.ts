/** For what must happen, however busy the machine is. */
export const patience = { timeout: 10_000 }
