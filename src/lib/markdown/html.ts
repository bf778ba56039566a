import { escapeHtml } from '../html-escape.ts';
import { type Block, type Inline, plainText } from './parse.ts';

/** Rewrites the target of a link. Null: its text is shown without a link. */
export type Address = (href: string) => string | null;

/** The blocks as HTML. Headings can be linked to; scrolling parts can be reached by the keyboard. */
export function markdownHtml(blocks: readonly Block[], address: Address): string {
  return blocks.map((block) => blockHtml(block, address)).join('\n');
}

function blockHtml(block: Block, address: Address): string {
  const inline = (pieces: readonly Inline[]) => inlineHtml(pieces, address);
  switch (block.kind) {
    case 'heading': {
      const { level, id, children } = block;
      const name = escapeHtml(id);
      return `<h${level} id="${name}"><a href="#${name}">${escapeHtml(plainText(children))}</a></h${level}>`;
    }
    case 'paragraph':
      return `<p>${inline(block.children)}</p>`;
    case 'quote':
      return `<blockquote>${inline(block.children)}</blockquote>`;
    case 'list': {
      const name = block.isOrdered ? 'ol' : 'ul';
      return `<${name}>${block.items.map((item) => `<li>${inline(item)}</li>`).join('')}</${name}>`;
    }
    case 'code':
      return codeHtml(block.text);
    case 'table':
      return tableHtml(block, inline);
    default:
      return block satisfies never;
  }
}

export function codeHtml(text: string): string {
  return `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>`;
}

function tableHtml(
  { head, rows, isNumber }: Extract<Block, { kind: 'table' }>,
  inline: (pieces: readonly Inline[]) => string,
): string {
  const cells = (row: readonly (readonly Inline[])[]) => row.map((cell) => inline(cell));
  return tableOf(cells(head), rows.map(cells), isNumber);
}

/** From this number of columns on, phones show the cells of a row below each other, each with the name of its column. */
const WIDE = 3;

/** A table of cells in HTML. Columns of numbers stand at the right. */
export function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  isNumber: readonly boolean[] = [],
): string {
  const form = (column: number) => (isNumber[column] ? ' class="number"' : '');
  // A heading without a text would be a barrier.
  const heads = head.map((cell, column) =>
    cell === '' ? '<td></td>' : `<th scope="col"${form(column)}>${cell}</th>`,
  );
  const names = head.map((cell) => cell.replace(/<[^>]*>/g, ''));
  const name = (column: number) =>
    head.length < WIDE || column === 0 || !names[column] ? '' : ` data-column="${names[column]}"`;
  const bodies = rows.map(
    (row) =>
      `<tr>${row.map((cell, column) => `<td${form(column)}${name(column)}>${cell}</td>`).join('')}</tr>`,
  );
  const kind = head.length < WIDE ? 'table' : 'table wide';
  return `<div class="${kind}" tabindex="0"><table><thead><tr>${heads.join('')}</tr></thead>
<tbody>${bodies.join('\n')}</tbody></table></div>`;
}

export function inlineHtml(pieces: readonly Inline[], address: Address): string {
  return pieces.map((piece) => pieceHtml(piece, address)).join('');
}

function pieceHtml(piece: Inline, address: Address): string {
  switch (piece.kind) {
    case 'text':
      return escapeHtml(piece.text);
    case 'code':
      return `<code>${escapeHtml(piece.text)}</code>`;
    case 'break':
      return '<br>';
    case 'strong':
    case 'em':
      return `<${piece.kind}>${inlineHtml(piece.children, address)}</${piece.kind}>`;
    case 'link': {
      const href = address(piece.href);
      const text = inlineHtml(piece.children, address);
      return href === null ? text : `<a href="${escapeHtml(href)}">${text}</a>`;
    }
    default:
      return piece satisfies never;
  }
}
