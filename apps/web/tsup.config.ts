import { program } from '../../tsup.base.ts'

// Vite has already written `dist/site`.
export default program(['src/index.ts'], { clean: false })
