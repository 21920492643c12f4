/** The longest `X-Replay-Secret`, in characters. */
export const maxReplaySecretLength = 256
