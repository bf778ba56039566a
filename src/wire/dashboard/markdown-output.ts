import { type Block, type Inline, parseMarkdown } from '../../lib/markdown/parse.ts';

/** A text that somebody wrote in Markdown, as pages show it. */
export type MarkdownJson = readonly Block[];
export type MarkdownBlockJson = Block;
export type MarkdownPieceJson = Inline;

/** Pieces of emphasis, code and links in one text. Each takes more room than its source. */
export const MAX_MARKDOWN_PIECES = 2_000;

/** Other schemes may run something. */
const SAFE = /^(https?:|mailto:)/i;

/** A text by somebody who may not be trusted. */
export function markdownJson(source: string): MarkdownJson {
  return parseMarkdown(source, { mayLink: (href) => SAFE.test(href), maxPieces: MAX_MARKDOWN_PIECES });
}
