/** A page as Markdown: its article where it has one, else all of it but what only a browser needs. */
import { isProbablyReaderable, Readability } from '@mozilla/readability';
import { Parser } from 'htmlparser2';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { tables } from './tables.ts';
import { oneLine, type ReadablePage, textOf, tidy } from './text.ts';

/** Both libraries call themselves at each level; deeper pages are made by programs, and get their plain text. */
const deepest = 400;
/** The time to find an article grows faster than the page. */
const maxElementsForArticle = 20_000;
/** An article that is only so small a part of the page is none, but the start of a list. */
const minShare = 0.2;

/** As much of a DOM as is used here; the compiler is not told of browsers. */
type PageElement = {
  textContent: string | null;
  innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
};
type PageDocument = {
  body: PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement> & { length: number };
};

const clutter =
  'script, style, noscript, template, svg, iframe, object, embed, canvas, form input, button, select, nav, [hidden], [aria-hidden="true"], [style*="display:none"], [style*="display: none"]';

/** `url` is where the page came from; links are made whole from there. */
export function markdownOf(html: string, url: string): ReadablePage {
  if (depthOf(html) > deepest) return textOf(html);
  const document = parse(html);
  const title = oneLine(document.querySelector('title')?.textContent ?? '');
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url;
  for (const each of document.querySelectorAll(clutter)) each.remove();
  resolveLinks(document, base);
  const whole = document.body;
  const wholeHtml = whole?.innerHTML ?? '';
  const wholeLength = (whole?.textContent ?? '').length;
  const article = articleOf(document);
  const isArticle = article !== null && article.length > wholeLength * minShare;
  const text = tidy(converter().turndown(bodyOf(isArticle ? article.html : wholeHtml)));
  return { title: title || oneLine(article?.title ?? ''), text };
}

/** linkedom finds a body only in a page that says where it begins. */
function parse(html: string): PageDocument {
  const isWhole = /<html[\s>]/i.test(html) && /<body[\s>]/i.test(html);
  return parseHTML(isWhole ? html : `<!doctype html><html><body>${html}</body></html>`).document;
}

function articleOf(document: PageDocument): { html: string; length: number; title: string } | null {
  const count = document.querySelectorAll('*').length;
  if (count > maxElementsForArticle || !isProbablyReaderable(document)) return null;
  // The class of a code block names its language.
  const found = new Readability(document, { keepClasses: true }).parse();
  if (found?.content == null) return null;
  return { html: found.content, length: found.textContent?.length ?? 0, title: found.title ?? '' };
}

function bodyOf(html: string): TurndownService.Node {
  return parse(`<html><body>${html}</body></html>`).body as TurndownService.Node;
}

/** What leads nowhere outside the page (scripts, data) is no link. */
function resolveLinks(document: PageDocument, base: string): void {
  for (const [selector, attribute] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const target = URL.parse(element.getAttribute(attribute) ?? '', base);
      if (target !== null && /^(?:https?|mailto):$/.test(target.protocol)) element.setAttribute(attribute, target.href);
      else element.removeAttribute(attribute);
    }
  }
}

function converter(): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  return service.use(tables);
}

/** The most tags that are open at once. */
function depthOf(html: string): number {
  let depth = 0;
  let deepestSeen = 0;
  const parser = new Parser({
    onopentagname() {
      deepestSeen = Math.max(deepestSeen, ++depth);
    },
    onclosetag() {
      depth--;
    },
  });
  parser.end(html);
  return deepestSeen;
}
