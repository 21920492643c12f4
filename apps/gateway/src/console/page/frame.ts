import { type Html, html } from './html.ts'

const pages = [
  ['/', 'Money'],
  ['/payments', 'Payments'],
  ['/refunds', 'Refunds'],
  ['/channels', 'Channels'],
] as const

export type Page = { readonly title: string; readonly path: string; readonly content: Html }

/** A whole document. The navigation is shown only to visitors who are logged in. */
export function frame({ title, path, content }: Page): string {
  const isInside = path !== '/login'
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Farebox console</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/console.css">
</head>
<body><div id="app">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="/"><img src="/mark.svg" alt="" width="26" height="26">Farebox console</a>
${isInside && navigation(path)}
</header>
<main id="content" tabindex="-1"><h1>${title}</h1>${content}</main>
<footer class="foot"><span>Times are in UTC.</span></footer>
</div></body></html>`.markup
  }`
}

function navigation(path: string): Html {
  return html`<nav aria-label="Pages">${pages.map(
    ([href, name]) =>
      html`<a href="${href}"${isWithin(path, href) && html` aria-current="page"`}>${name}</a>`,
  )}</nav>
<form class="logout" method="post" action="/logout"><button class="copy">Log out</button></form>`
}

function isWithin(path: string, page: string): boolean {
  return page === '/' ? path === '/' : path.startsWith(page)
}
