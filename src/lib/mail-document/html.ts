import { escapeHtml } from '../html-escape.ts';
import type {
  Block,
  Emphasis,
  Fact,
  Grid,
  Heading,
  Item,
  Link,
  MailDocument,
  Phrase,
  Pill,
  RunMark,
} from './document.ts';
import { piecesOf } from './document.ts';
import { COLOURS, type Colour, classOf, FONT, MONOSPACE, STYLE_SHEET } from './style.ts';

/** Mail programs show about this much beside the subject. Blanks keep the text of the mail from following there. */
const PREVIEW_FILLING = '&#847;&zwnj;&nbsp;'.repeat(30);

/** A table that only arranges things. */
const LAYOUT = '<table role="presentation" cellpadding="0" cellspacing="0" border="0"';

/** Breaks words that would widen the column. */
const WRAP = 'overflow-wrap:anywhere;word-break:break-word';

/** The mail as HTML: one column of 600 px. Styles are inline, since many mail programs drop others. */
export function mailHtml(document: MailDocument): string {
  const { subject, preview, blocks, foot } = document;
  const canvas = `${filled('canvas')} style="margin:0;padding:0;${background('canvas')}"`;
  return `${[
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="supported-color-schemes" content="light dark">',
    `<title>${escapeHtml(subject)}</title>`,
    '<!--[if mso]><style>table{border-collapse:collapse}td,th,p,a,h1,h2{font-family:Arial,sans-serif!important}</style><![endif]-->',
    `<style>\n${STYLE_SHEET}\n</style>`,
    '</head>',
    `<body ${canvas}>`,
    '<div role="main" lang="en">',
    ...(preview === ''
      ? []
      : [
          `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(preview)} ${PREVIEW_FILLING}</div>`,
        ]),
    `${LAYOUT} width="100%" ${canvas}>`,
    '<tr><td class="o" align="center" style="padding:24px 12px 32px">',
    `<!--[if mso]>${LAYOUT} width="600"><tr><td><![endif]-->`,
    `${LAYOUT} width="600" class="w r ${classOf('background', 'surface')} ${classOf('border-color', 'line')}" bgcolor="${COLOURS.surface.light}" style="width:600px;max-width:600px;${background('surface')};border:1px solid ${COLOURS.line.light};border-radius:12px;font-family:${FONT}">`,
    ...head(document),
    ...blocks.map(blockHtml),
    row(24, 0, ''),
    footer(foot),
    '</table>',
    '<!--[if mso]></td></tr></table><![endif]-->',
    '</td></tr></table>',
    '</div>',
    '</body>',
    '</html>',
  ].join('\n')}\n`;
}

function background(colour: Colour): string {
  return `background:${COLOURS[colour].light}`;
}

/** The attributes of an element with a background of its own. */
function filled(colour: Colour, classes = ''): string {
  return `class="${[classes, classOf('background', colour)].filter(Boolean).join(' ')}" bgcolor="${COLOURS[colour].light}"`;
}

function row(top: number, bottom: number, html: string): string {
  return `<tr><td class="p" style="padding:${top}px 32px ${bottom}px">${html}</td></tr>`;
}

interface Look {
  readonly colour: Colour;
  /** In pixels: the size of the letters and the height of a line. */
  readonly size: readonly [letters: number, line: number];
  readonly isBold?: boolean;
  readonly more?: string;
  readonly classes?: string;
}

/** The attributes of an element with text. */
function text({ colour, size: [letters, line], isBold = false, more = '', classes = '' }: Look): string {
  const style = [
    ...(more === '' ? [] : [more]),
    `font-size:${letters}px`,
    `line-height:${line}px`,
    ...(isBold ? ['font-weight:600'] : []),
    `color:${COLOURS[colour].light}`,
  ].join(';');
  return `class="${[classes, classOf('color', colour)].filter(Boolean).join(' ')}" style="${style}"`;
}

const EMPHASES: Readonly<Record<Emphasis, { readonly tag: string; readonly colour: Colour }>> = {
  strong: { tag: 'strong', colour: 'ink' },
  down: { tag: 'strong', colour: 'down' },
  up: { tag: 'strong', colour: 'up' },
  faint: { tag: 'span', colour: 'ink3' },
};

/** Names may run from right to left. Isolated, they do not turn the text after them. */
function phraseHtml(phrase: Phrase): string {
  return piecesOf(phrase)
    .map(({ text, as }) => {
      const html = escapeHtml(text).replaceAll('\n', '<br>');
      if (as === null) return html;
      const { tag, colour } = EMPHASES[as];
      const weight = tag === 'strong' ? 'font-weight:600;' : '';
      return `<${tag} class="${classOf('color', colour)}" style="${weight}color:${COLOURS[colour].light}">${tag === 'strong' ? `<bdi>${html}</bdi>` : html}</${tag}>`;
    })
    .join('');
}

function head({ top, pill, title, lead }: MailDocument): string[] {
  const from = `<td ${text({ colour: 'ink2', size: [13, 20], isBold: true, more: WRAP })}>${escapeHtml(top.from)}</td>`;
  const date = `<td align="right" ${text({ colour: 'ink3', size: [12, 20], more: 'padding-left:12px;white-space:nowrap' })}>${escapeHtml(top.date)}</td>`;
  const heading = `<h1 ${text({ colour: 'ink', size: [26, 32], isBold: true, more: `margin:10px 0 4px;letter-spacing:-.02em;${WRAP}` })}><bdi>${escapeHtml(title)}</bdi></h1>`;
  const sentence =
    lead === null
      ? ''
      : `<p ${text({ colour: 'ink2', size: [16, 24], more: `margin:0;${WRAP}` })}>${phraseHtml(lead)}</p>`;
  return [
    row(20, 0, `${LAYOUT} width="100%"><tr>${from}${date}</tr></table>`),
    row(pill === null ? 8 : 14, 0, `${pill === null ? '' : pillHtml(pill)}${heading}${sentence}`),
  ];
}

const PILLS: Readonly<Record<Pill['tone'], { sign: string; back: Colour; front: Colour | null }>> = {
  down: { sign: '&#10005;&nbsp; ', back: 'downSolid', front: null },
  up: { sign: '&#10003;&nbsp; ', back: 'upTint', front: 'up' },
  quiet: { sign: '', back: 'quietTint', front: 'quiet' },
};

function pillHtml({ tone, word }: Pill): string {
  const { sign, back, front } = PILLS[tone];
  const colour = front === null ? '#ffffff' : COLOURS[front].light;
  const attributes = filled(back, front === null ? '' : classOf('color', front));
  return `${LAYOUT}><tr><td ${attributes} style="${background(back)};border-radius:6px;padding:3px 10px;font-size:13px;line-height:20px;font-weight:600;color:${colour}">${sign}${escapeHtml(word)}</td></tr></table>`;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'facts':
      return row(14, 0, `${LAYOUT} width="100%">${block.facts.map(factHtml).join('')}</table>`);
    case 'link':
      return row(18, 4, buttonHtml(block));
    case 'links':
      return row(10, 0, linksHtml(block.links));
    case 'runs':
      return row(18, 0, runsHtml(block.marks, block.sentence));
    case 'output':
      return row(20, 0, `${subheading(block)}${outputHtml(block.lines)}`);
    case 'paragraphs': {
      const { heading, texts } = block;
      const title = heading === null ? '' : subheading(heading);
      return row(heading === null ? 16 : 22, 0, `${title}${texts.map(paragraphHtml).join('')}`);
    }
    case 'list':
      return row(24, 0, `${subheading(block.heading)}${listHtml(block.items)}${moreHtml(block.more)}`);
    case 'entries':
      return row(16, 0, `${entriesHtml(block.items)}${moreHtml(block.more)}`);
    case 'grid':
      return row(
        24,
        0,
        `${subheading(block.heading)}${block.grid === null ? '' : gridHtml(block.grid)}${moreHtml(block.note === '' ? null : block.note)}`,
      );
    default:
      return block satisfies never;
  }
}

function edge(side: 'top' | 'bottom'): string {
  return `border-${side}:1px solid ${COLOURS.line.light}`;
}

const LINE = classOf('border-color', 'line');

function factHtml({ label, value }: Fact): string {
  const name = text({
    colour: 'ink3',
    size: [13, 20],
    more: `width:116px;padding:7px 12px 7px 0;${edge('bottom')}`,
    classes: `fl ${LINE}`,
  });
  const content = text({
    colour: 'ink',
    size: [13, 20],
    more: `padding:7px 0;${edge('bottom')};${WRAP}`,
    classes: `fv ${LINE}`,
  });
  return `<tr><td width="116" valign="top" ${name}>${escapeHtml(label)}</td><td valign="top" ${content}>${phraseHtml(value)}</td></tr>`;
}

function buttonHtml({ label, href }: Link): string {
  const link = `class="${classOf('color', 'onButton')}" style="display:block;padding:11px 20px;font-size:14px;line-height:20px;font-weight:600;color:${COLOURS.onButton.light};text-decoration:none;${WRAP}"`;
  return `${LAYOUT} class="w"><tr><td align="center" ${filled('ink')} style="${background('ink')};border-radius:8px"><a href="${escapeHtml(href)}" ${link}>${escapeHtml(label)}</a></td></tr></table>`;
}

/** They are as high as a finger. */
function linksHtml(links: readonly Link[]): string {
  const attributes = text({ colour: 'ink', size: [14, 44], more: 'padding-right:24px;white-space:nowrap' });
  const linked = links.map(({ label, href }) => {
    const style = `class="${classOf('color', 'ink')}" style="color:${COLOURS.ink.light};text-decoration:underline"`;
    return `<span ${attributes}><a href="${escapeHtml(href)}" ${style}>${escapeHtml(label)}</a></span>`;
  });
  return linked.join(' ');
}

const MARKS: Readonly<Record<RunMark, { readonly colour: Colour; readonly height: number }>> = {
  ok: { colour: 'runOk', height: 12 },
  warned: { colour: 'runLate', height: 12 },
  late: { colour: 'runLate', height: 9 },
  failed: { colour: 'runFailed', height: 20 },
  missed: { colour: 'runFailed', height: 20 },
  running: { colour: 'runRunning', height: 12 },
  skipped: { colour: 'runUnknown', height: 2 },
  unknown: { colour: 'runUnknown', height: 5 },
};

const EMPTY = 'font-size:1px;line-height:1px';

/** Cells with a background, since mail programs show no drawings. The sentence says the same. */
function runsHtml(marks: readonly RunMark[], sentence: string): string {
  const cells = marks.map((mark) => {
    const { colour, height } = MARKS[mark];
    const inner = height - 4;
    const cell =
      mark === 'missed'
        ? `<td class="${classOf('border-color', colour)}" height="${inner}" style="height:${inner}px;border:2px solid ${COLOURS[colour].light};border-radius:2px;${EMPTY}">&nbsp;</td>`
        : `<td ${filled(colour)} height="${height}" style="height:${height}px;${background(colour)};border-radius:2px;${EMPTY}">&nbsp;</td>`;
    return `<td valign="bottom" width="11" style="width:11px">${LAYOUT} width="11"><tr>${cell}</tr></table></td><td width="4" style="width:4px;${EMPTY}">&nbsp;</td>`;
  });
  const under = `<p ${text({ colour: 'ink3', size: [12, 18], more: 'margin:4px 0 0' })}>${escapeHtml(sentence)}</p>`;
  return `${LAYOUT}><tr><td height="20" style="height:20px;${EMPTY}"></td>${cells.join('')}</tr></table>${under}`;
}

function subheading({ heading, aside }: Heading): string {
  const beside =
    aside === ''
      ? ''
      : ` <span class="${classOf('color', 'ink3')}" style="font-weight:400;color:${COLOURS.ink3.light}">${escapeHtml(aside)}</span>`;
  return `<h2 ${text({ colour: 'ink', size: [14, 20], isBold: true, more: `margin:0 0 8px;${WRAP}` })}><bdi>${escapeHtml(heading)}</bdi>${beside}</h2>`;
}

function outputHtml(lines: readonly string[]): string {
  const look = text({
    colour: 'ink2',
    size: [12, 18],
    more: `${background('sunken')};border:1px solid ${COLOURS.line.light};border-radius:8px;padding:10px 12px;font-family:${MONOSPACE};${WRAP}`,
    classes: `${classOf('background', 'sunken')} ${LINE}`,
  });
  return `${LAYOUT} width="100%"><tr><td bgcolor="${COLOURS.sunken.light}" ${look}>${lines.map(outputLine).join('<br>')}</td></tr></table>`;
}

/** Keeps runs of blanks. */
function outputLine(line: string): string {
  return deadLinks(escapeHtml(line)).replace(/ (?= )|^ /g, '&nbsp;');
}

/**
 * Mail programs turn text that looks like an address into a link. The output of a job must not lead anywhere, so a sign
 * without width stands within each.
 */
function deadLinks(html: string): string {
  return html.replace(/:(?=\/\/)|@|(?<=[\p{L}\p{N}])\.(?=\p{L}{2})/gu, '&zwnj;$&');
}

function paragraphHtml(phrase: Phrase): string {
  return `<p ${text({ colour: 'ink2', size: [14, 21], more: `margin:0 0 8px;${WRAP}` })}>${phraseHtml(phrase)}</p>`;
}

function moreHtml(more: string | null): string {
  if (more === null) return '';
  return `<p ${text({ colour: 'ink2', size: [13, 20], more: `margin:8px 0 0;${WRAP}` })}>${escapeHtml(more)}</p>`;
}

function listHtml(items: readonly Item[]): string {
  const rows = items.map(({ name, aside, text: words, line }) => {
    const first = [
      `<strong class="${classOf('color', 'ink')}" style="font-weight:600;color:${COLOURS.ink.light}"><bdi>${escapeHtml(name)}</bdi></strong>`,
      ...(aside === '' ? [] : [escapeHtml(aside)]),
      ...(words === '' ? [] : [phraseHtml(words)]),
    ].join(' &middot; ');
    return `<tr><td class="${LINE}" style="padding:8px 0;${edge('top')}"><p ${text({ colour: 'ink2', size: [13, 20], more: `margin:0;${WRAP}` })}>${first}</p>${lineHtml(line, 0)}</td></tr>`;
  });
  return `${LAYOUT} width="100%">${rows.join('')}</table>`;
}

function lineHtml(line: string | null, top: number): string {
  if (line === null) return '';
  return `<p ${text({ colour: 'ink3', size: [12, 18], more: `margin:${top}px 0 0;font-family:${MONOSPACE};${WRAP}` })}>${outputLine(line)}</p>`;
}

function entriesHtml(items: readonly Item[]): string {
  const rows = items.map(({ name, aside, text: words, line }) => {
    const title = `<td><h2 ${text({ colour: 'ink', size: [16, 24], isBold: true, more: `margin:0;${WRAP}` })}><bdi>${escapeHtml(name)}</bdi></h2></td>`;
    const beside = `<td align="right" valign="top" ${text({ colour: 'down', size: [14, 24], isBold: true, more: 'padding-left:12px;white-space:nowrap' })}>${escapeHtml(aside)}</td>`;
    const under = `<p ${text({ colour: 'ink2', size: [14, 21], more: `margin:2px 0 0;${WRAP}` })}>${phraseHtml(words)}</p>`;
    return `<tr><td class="${LINE}" style="padding:14px 0;${edge('top')}">${LAYOUT} width="100%"><tr>${title}${beside}</tr></table>${under}${lineHtml(line, 4)}</td></tr>`;
  });
  return `${LAYOUT} width="100%">${rows.join('')}</table>`;
}

function gridHtml({ columns, rows }: Grid): string {
  const classes = (column: number) => `${LINE}${columns[column]?.isMinor ? ' hide' : ''}`;
  const align = (column: number) => (column === 0 ? 'left' : 'right');
  const head = columns.map(
    ({ label, width }, column) =>
      `<th scope="col" align="${align(column)}"${width === undefined ? '' : ` width="${width}"`} ${text({ colour: 'ink3', size: [12, 16], more: `padding:6px 0 6px ${column === 0 ? 0 : 12}px;${edge('bottom')};font-weight:400`, classes: classes(column) })}>${escapeHtml(label)}</th>`,
  );
  const body = rows.map((cells) => {
    const html = cells.map((cell, column) =>
      column === 0
        ? `<td ${text({ colour: 'ink', size: [13, 20], isBold: true, more: `padding:8px 0;${edge('bottom')};${WRAP}`, classes: classes(0) })}><bdi>${escapeHtml(cell)}</bdi></td>`
        : `<td align="right" ${text({ colour: columns[column]?.isMinor ? 'ink3' : 'ink', size: [13, 20], isBold: columns[column]?.isStrong ?? false, more: `padding:8px 0 8px 12px;${edge('bottom')};white-space:nowrap`, classes: classes(column) })}>${escapeHtml(cell)}</td>`,
    );
    return `<tr>${html.join('')}</tr>`;
  });
  return `<table width="100%" cellpadding="0" cellspacing="0" border="0"><tr>${head.join('')}</tr>${body.join('')}</table>`;
}

function footer({ why, stop }: MailDocument['foot']): string {
  const link =
    stop === null
      ? ''
      : ` <a href="${escapeHtml(stop.href)}" class="${classOf('color', 'ink3')}" style="color:${COLOURS.ink3.light};text-decoration:underline">${escapeHtml(stop.label)}</a>`;
  return `<tr><td class="p ${LINE}" style="padding:16px 32px 20px;${edge('top')}"><p ${text({ colour: 'ink3', size: [12, 18], more: `margin:0;${WRAP}` })}>${escapeHtml(why)}${link}</p></td></tr>`;
}
