/** The look of `/docs`: one column, light or dark as the reader has it, nothing wider than a phone. */
export const docsStyle: string = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; --line: color-mix(in srgb, currentColor 18%, transparent); }
body { margin: 0; } main { max-width: 52rem; margin: 2rem auto 4rem; padding: 0 1rem; }
h1 { margin: 0; } .lead { font-size: 1.1rem; } h2 { font-size: 1.2rem; margin: 0; } h3 { font-size: .95rem; margin: 1rem 0 .25rem; opacity: .75; }
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1.25rem; }
a { color: LinkText; } code { font-size: .9em; overflow-wrap: anywhere; }
.contents { list-style: none; padding: 0; } .contents li { padding: .15rem 0; }
dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; margin: 0; }
dt, dd { margin: 0; padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--line); min-width: 0; }
em { font-size: .8em; opacity: .7; } summary { cursor: pointer; padding: .1rem 0; }
pre { overflow: auto; max-height: 28rem; font-size: .8rem; padding: .75rem; border-radius: .25rem;
background: color-mix(in srgb, currentColor 6%, transparent); }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr; } dd { border-top: 0; padding-top: 0; } }
`
