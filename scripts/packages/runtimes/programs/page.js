import { run } from './program.js'

document.body.textContent = await run()
