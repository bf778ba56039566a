import type { Answer } from '../../app/read.ts';

/** The project, a tag or a check, with the addresses of its badges. */
export type Covered = Answer<'coverage'>['project'];

export type Format = 'svg' | 'shields' | 'json';
export type States = '2' | '3';
export type SnippetKind = 'markdown' | 'html' | 'rst' | 'asciidoc' | 'address';

/** The address of a badge. */
export function addressOf({ urls }: Covered, format: Format, states: States): string | null {
  return urls === null ? null : urls[states === '3' ? (`${format}3` as const) : format];
}

/** Shields.io draws a badge from the answer of an address. */
export const shieldsAddress = (address: string) =>
  `https://img.shields.io/endpoint?url=${encodeURIComponent(address)}`;

/** The kinds of text in which a badge of this format is put somewhere. JSON is not a picture. */
export const kindsOf = (format: Format): readonly SnippetKind[] =>
  format === 'json' ? ['address'] : ['markdown', 'html', 'rst', 'asciidoc', 'address'];

/** The text that shows the badge. Names may contain signs that mean something there. */
export function snippetOf(kind: SnippetKind, label: string, address: string, format: Format): string {
  const picture = format === 'shields' ? shieldsAddress(address) : address;
  switch (kind) {
    case 'markdown':
      return `![${label.replace(/[\\[\]]/g, '\\$&')}](${picture})`;
    case 'html':
      return `<img src="${escaped(picture)}" alt="${escaped(label)}">`;
    case 'rst':
      return `.. image:: ${picture}\n   :alt: ${label}`;
    case 'asciidoc':
      return `image:${picture}["${label.replaceAll('"', '&quot;')}"]`;
    case 'address':
      return address;
    default:
      return kind satisfies never;
  }
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
