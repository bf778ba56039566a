import { isOneSlipApart } from '../../lib/one-slip.ts';

/** Longer queries are cut. */
export const MAX_DOCS_QUERY = 100;
/** Sections that are found at once. */
const MAX_RESULTS = 8;
const MAX_RESULTS_OF_PAGE = 2;
const MAX_WORDS = 8;
const MIN_WORD = 2;
/** Words of at least this length may have one slip. */
const MIN_TYPO_WORD = 4;
/** Characters before and after the first word that was found. */
const CONTEXT = { before: 60, after: 140 };
const WEIGHTS = { page: 10, heading: 6, text: 1 };

type Place = keyof typeof WEIGHTS;

const PLACES = Object.keys(WEIGHTS) as Place[];

/** A part of a page below one heading. */
export interface DocSection {
  /** Below `/docs/`. */
  readonly path: string;
  /** The title of its page. */
  readonly page: string;
  /** The name of its heading in addresses. Empty for the beginning of a page. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

export interface FoundSection {
  readonly section: DocSection;
  /** A piece of its text. Searched words are marked. */
  readonly excerpt: readonly { readonly text: string; readonly isHit: boolean }[];
}

/**
 * Finds sections by the beginnings of words, in any order, with a slip in a word if nothing else fits. Signs without a word,
 * such as `$?`, are found as they stand.
 */
export class DocSearch {
  readonly #sections: readonly DocSection[];
  /** In which sections each word stands, and at which places there. */
  readonly #places = new Map<string, Map<DocSection, Set<Place>>>();

  constructor(sections: readonly DocSection[]) {
    this.#sections = sections;
    for (const section of sections)
      for (const place of PLACES) for (const word of wordsOf(section[place])) this.#add(word, section, place);
  }

  /** The best ones first. */
  find(query: string): FoundSection[] {
    const asked = query.slice(0, MAX_DOCS_QUERY).trim();
    const words = wordsOf(asked);
    if (words.length === 0) return this.#findSigns(asked);
    const wanted = words
      .filter((word) => word.length >= MIN_WORD)
      .slice(0, MAX_WORDS)
      .map((word) => this.#wordsFor(word));
    const scores = new Map<DocSection, { matched: number; score: number }>();
    for (const words of wanted)
      for (const [section, places] of this.#placesOf(words)) {
        const { matched, score } = scores.get(section) ?? { matched: 0, score: 0 };
        scores.set(section, { matched: matched + 1, score: score + weightOf(places) });
      }
    const most = Math.max(0, ...[...scores.values()].map(({ matched }) => matched));
    const best = this.#sections
      .filter((section) => scores.get(section)?.matched === most)
      .toSorted((one, other) => (scores.get(other)?.score ?? 0) - (scores.get(one)?.score ?? 0));
    return withoutCrowds(best)
      .slice(0, MAX_RESULTS)
      .map((section) => ({ section, excerpt: excerptOf(section.text, wordPattern(wanted.flat())) }));
  }

  #findSigns(signs: string): FoundSection[] {
    if (signs === '') return [];
    return withoutCrowds(this.#sections.filter(({ text }) => text.includes(signs)))
      .slice(0, MAX_RESULTS)
      .map((section) => ({
        section,
        excerpt: excerptOf(section.text, new RegExp(RegExp.escape(signs), 'g')),
      }));
  }

  #add(word: string, section: DocSection, place: Place): void {
    this.#places
      .getOrInsertComputed(word, () => new Map())
      .getOrInsertComputed(section, () => new Set())
      .add(place);
  }

  /** The matching words of the documentation: words that begin like it, or else words that differ by a slip. */
  #wordsFor(word: string): readonly string[] {
    const stem = stemOf(word);
    const words = [...this.#places.keys()];
    const beginning = words.filter((one) => one.startsWith(stem));
    if (beginning.length > 0 || word.length < MIN_TYPO_WORD) return beginning;
    return words.filter((one) => isOneSlipApart(word, one));
  }

  #placesOf(words: readonly string[]): Map<DocSection, Set<Place>> {
    const all = new Map<DocSection, Set<Place>>();
    for (const word of words)
      for (const [section, places] of this.#places.get(word) ?? [])
        all.set(section, (all.get(section) ?? new Set<Place>()).union(places));
    return all;
  }
}

function weightOf(places: ReadonlySet<Place>): number {
  return [...places].reduce((sum, place) => sum + WEIGHTS[place], 0);
}

/** No page has more than a few results. */
function withoutCrowds(sections: readonly DocSection[]): DocSection[] {
  const counts = new Map<string, number>();
  return sections.filter(({ path }) => {
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    return count <= MAX_RESULTS_OF_PAGE;
  });
}

/** Words in lower case. A name such as `SITE_ROOT` is also found by its parts. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.flatMap((word) => (word.includes('_') ? [word, ...word.split('_').filter(Boolean)] : [word]));
}

/** So that `pinging` and `schedules` find `ping` and `schedule`. */
function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ed|es|s)$/, '');
  return stem.length >= MIN_TYPO_WORD ? stem : word;
}

function excerptOf(text: string, wanted: RegExp): FoundSection['excerpt'] {
  const hits = [...text.matchAll(wanted)];
  const first = hits[0]?.index ?? 0;
  const from = Math.max(0, startOfWord(text, first - CONTEXT.before));
  const to = Math.min(text.length, startOfWord(text, first + CONTEXT.after));
  const pieces: { text: string; isHit: boolean }[] = [];
  const add = (piece: string, isHit: boolean) => piece !== '' && pieces.push({ text: piece, isHit });
  add(from > 0 ? '… ' : '', false);
  let at = from;
  for (const { index, 0: word } of hits) {
    if (index < at || index + word.length > to) continue;
    add(text.slice(at, index), false);
    add(word, true);
    at = index + word.length;
  }
  add(text.slice(at, to), false);
  add(to < text.length ? '…' : '', false);
  return pieces;
}

function wordPattern(words: readonly string[]): RegExp {
  // Words consist of letters, digits and underscores, which mean nothing else in a pattern. The longest one counts.
  const longestFirst = words.toSorted((one, other) => other.length - one.length);
  const any = words.length === 0 ? '(?!)' : longestFirst.join('|');
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, 'giu');
}

function startOfWord(text: string, at: number): number {
  if (at <= 0) return 0;
  const blank = text.indexOf(' ', at);
  return blank === -1 ? text.length : blank + 1;
}
