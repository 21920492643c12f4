/** Runs `main` on the Node of the JSON file `tools` where this one is too old; returns the exit code. */
export function runOnNewerNode(tools: URL, main: () => Promise<number>): Promise<number>
