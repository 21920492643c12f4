import { run } from './program.js'

document.body.textContent = await run(Object.fromEntries(new URLSearchParams(location.search)))
