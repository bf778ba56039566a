import { readFile } from 'node:fs/promises';
import { previewSchedule } from '../domain/check/schedule-preview.ts';
import { detectKind } from '../domain/schedule/detect.ts';
import { describeSchedule } from '../domain/schedule/schedule.ts';
import { canonicalTimezone } from '../domain/schedule/timezone.ts';
import { CHANNEL_KINDS, type ChannelKind, isChannelKind, sampleOf } from '../integrations/registry.ts';
import type { Instant } from '../lib/instant.ts';
import { type Address, markdownHtml } from '../lib/markdown/html.ts';
import { type Block, parseMarkdown, plainText } from '../lib/markdown/parse.ts';
import type { Deps } from '../services/core/deps.ts';
import { textRead } from '../services/core/reads.ts';
import { foundHtml, type Trial, trialHtml } from '../wire/docs/answers.ts';
import {
  type DocumentedKind,
  KIND_SECTIONS,
  kindHtml,
  kindSections,
  kindTableHtml,
  pathOfKind,
} from '../wire/docs/kind-pages.ts';
import { type DocsContent, docsHtml } from '../wire/docs/layout.ts';
import { CRON_PAGE, DOC_PAGES, INTEGRATIONS_PAGE } from '../wire/docs/pages.ts';
import { DocSearch, type DocSection } from '../wire/docs/search.ts';
import { type MessageSite, type Site, sitePath } from '../wire/site.ts';
import { documentedKind } from './documented-kind.ts';

/** The folder of the texts, in the sources and in the package. */
const FOLDER = new URL('../../docs/', import.meta.url);
/** The address of an instance in the texts. */
const EXAMPLE_ROOT = 'https://tocsin.example.org';

interface Article {
  readonly path: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

interface Library {
  readonly articles: ReadonlyMap<string, Article>;
  readonly kinds: readonly DocumentedKind[];
  readonly search: DocSearch;
}

/** Which page of the documentation is wanted. */
export type DocsAsked =
  /** By its path below `/docs/`, which must exist. */
  | { readonly page: string }
  | { readonly search: string }
  /** The meaning of the schedule, and its runs. */
  | { readonly schedule: string; readonly tz: string }
  /** The page for an address that does not exist. */
  | { readonly notFound: true };

/** Addresses of the files that the documentation loads. */
export interface DocsFiles {
  readonly style: string;
  readonly script: string;
  readonly themeScript: string | null;
}

interface AskedPage {
  readonly asked: DocsAsked;
  readonly files: DocsFiles;
  readonly isDemonstration: boolean;
  /** The setting that the operator lacks for a kind of channel. Null if the instance offers it. */
  readonly missing: Readonly<Record<string, string | null>>;
}

export const docsPage = textRead(
  () => 'documentation',
  ({ docs, clock }: { readonly docs: Docs } & Pick<Deps, 'clock'>, asked: AskedPage) =>
    docs.text(asked, clock.now()),
);

/** Writes the pages of the documentation. The texts are read once. */
export class Docs {
  readonly #site: Site & MessageSite;
  readonly #vault: Deps['vault'];
  #library: Promise<Library> | undefined;

  constructor({ vault }: Pick<Deps, 'vault'>, site: Site & MessageSite) {
    this.#site = site;
    this.#vault = vault;
  }

  async text({ asked, files, isDemonstration, missing }: AskedPage, now: Instant): Promise<string> {
    this.#library ??= this.#load();
    const library = await this.#library;
    const frame = {
      siteName: this.#site.name,
      base: this.#base,
      home: `${this.#prefix}/`,
      ...files,
      isDemonstration,
    };
    const write = (content: DocsContent) => docsHtml(frame, content);
    if ('search' in asked) {
      const found = foundHtml(asked.search, library.search.find(asked.search), this.#base);
      return write({ path: null, title: 'Search', html: found, sections: [], search: asked.search });
    }
    if ('notFound' in asked) return write({ ...NOT_FOUND, html: notFoundHtml(this.#base) });
    if ('schedule' in asked) return write(this.#cronPage(library, trialOf(asked.schedule, asked.tz, now)));
    return write(this.#page(library, asked.page, missing));
  }

  get #prefix(): string {
    return sitePath(this.#site.root);
  }

  get #base(): string {
    return `${this.#prefix}/docs/`;
  }

  #page(library: Library, path: string, missing: AskedPage['missing']): DocsContent {
    const { kinds } = library;
    if (path === CRON_PAGE)
      return this.#cronPage(library, { schedule: '30 3 * * *', tz: 'UTC', result: null });
    const kind = kinds.find((one) => pathOfKind(one.kind) === path);
    if (kind !== undefined) {
      const html = kindHtml(kind, missing[kind.kind] ?? null, this.#site.root, this.#address);
      return { path, title: kind.label, html, sections: KIND_SECTIONS };
    }
    const content = this.#article(library, path);
    if (path !== INTEGRATIONS_PAGE) return content;
    return { ...content, html: `${content.html}\n${kindTableHtml(kinds, missing, this.#base)}` };
  }

  #cronPage(library: Library, trial: Trial): DocsContent {
    const content = this.#article(library, CRON_PAGE);
    const tester = trialHtml(trial, `${this.#base}${CRON_PAGE}`, describeSchedule);
    return { ...content, html: `${content.html}\n${tester}` };
  }

  #article({ articles }: Library, path: string): DocsContent {
    const article = articles.get(path);
    if (article === undefined) throw new Error(`there is no page ${path}`);
    const { title, blocks } = article;
    const sections = blocks.flatMap((block) =>
      block.kind === 'heading' && block.level === 2
        ? [{ id: block.id, title: plainText(block.children) }]
        : [],
    );
    return { path, title, html: markdownHtml(blocks, this.#address), sections };
  }

  async #load(): Promise<Library> {
    const files = DOC_PAGES.flatMap(({ path, file }) => (file === null ? [] : [{ path, file }]));
    const articles = await Promise.all(files.map(({ path, file }) => this.#read(path, file)));
    const kinds = await Promise.all(CHANNEL_KINDS.filter(isChannelKind).map((kind) => this.#kind(kind)));
    const sections = [...articles.flatMap(sectionsOf), ...kinds.flatMap(kindSections)];
    return {
      articles: new Map(articles.map((article) => [article.path, article])),
      kinds: kinds.toSorted((a, b) => a.label.localeCompare(b.label, 'en')),
      search: new DocSearch(sections),
    };
  }

  async #read(path: string, file: string): Promise<Article> {
    const source = await readFile(new URL(file, FOLDER), 'utf8');
    const { root, pingEndpoint } = this.#site;
    const own = source.replaceAll(`${EXAMPLE_ROOT}/ping/`, pingEndpoint).replaceAll(EXAMPLE_ROOT, root);
    const [first, ...blocks] = parseMarkdown(own);
    if (first?.kind !== 'heading') throw new Error(`${file} does not begin with its title`);
    return { path, title: plainText(first.children), blocks };
  }

  async #kind(kind: ChannelKind): Promise<DocumentedKind> {
    const sample = await sampleOf(kind, this.#site, this.#vault);
    return documentedKind(kind, sample);
  }

  /** The target of a link in a text. Documents that are not among the pages are for readers of the sources. */
  readonly #address: Address = (href) => {
    if (href.startsWith('#')) return href;
    if (href.startsWith(`${this.#site.root}/`)) return this.#prefix + href.slice(this.#site.root.length);
    if (/^https?:/.test(href)) return href;
    const [file = '', anchor] = href.split('#');
    const name = file.slice(file.lastIndexOf('/') + 1);
    const page = DOC_PAGES.find(
      (one) => one.file !== null && one.file.slice(one.file.lastIndexOf('/') + 1) === name,
    );
    if (page === undefined) return null;
    return `${this.#base}${page.path}${anchor === undefined ? '' : `#${anchor}`}`;
  };
}

const NOT_FOUND = { path: null, title: 'Page not found', sections: [] };

function notFoundHtml(base: string): string {
  return `<p>There is no such page in the documentation. Search for it above, or begin with <a href="${base}">how it works</a>.</p>`;
}

/** The parts of the article that a search finds one by one. */
function sectionsOf({ path, title, blocks }: Article): DocSection[] {
  const sections = [{ path, page: title, id: '', heading: title, texts: [] as string[] }];
  for (const block of blocks) {
    if (block.kind === 'heading')
      sections.push({ path, page: title, id: block.id, heading: plainText(block.children), texts: [] });
    else sections.at(-1)?.texts.push(textOf(block));
  }
  return sections.map(({ texts, ...section }) => ({ ...section, text: texts.join(' ') }));
}

function textOf(block: Exclude<Block, { kind: 'heading' }>): string {
  switch (block.kind) {
    case 'paragraph':
    case 'quote':
      return plainText(block.children);
    case 'list':
      return block.items.map(plainText).join(' ');
    case 'code':
      return block.text.replaceAll(/\s+/g, ' ');
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(plainText).join(' ')).join(' · ');
    default:
      return block satisfies never;
  }
}

/** The meaning of a schedule in a zone, or why it is refused. */
function trialOf(schedule: string, tz: string, now: Instant): Trial {
  const zone = canonicalTimezone(tz.trim());
  if (zone === null)
    return { schedule, tz, result: `“${tz}” is no time zone: write a name such as Europe/Riga.` };
  const draft = { kind: detectKind(schedule), schedule, tz: zone, timeoutSeconds: 0 };
  const preview = previewSchedule(draft, zone, now);
  if ('fault' in preview) return { schedule, tz: zone, result: preview.fault.message };
  return { schedule, tz: zone, result: { words: describeSchedule(schedule), runs: preview.runs } };
}
