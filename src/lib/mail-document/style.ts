type Property = 'color' | 'background' | 'border-color';

interface Shade {
  readonly light: string;
  readonly dark: string;
  /** The properties that use it. */
  readonly as: readonly Property[];
}

/**
 * The colours of mails, for light and dark screens, equal to the pages'. Each class has one property, since mail
 * programs know little of CSS: the light colour is an inline style, and the dark one is put over it.
 */
export const COLOURS = {
  canvas: { light: '#f6f5f2', dark: '#0b0d10', as: ['background'] },
  surface: { light: '#ffffff', dark: '#121519', as: ['background'] },
  sunken: { light: '#faf9f7', dark: '#0f1215', as: ['background'] },
  line: { light: '#e7e5df', dark: '#22262d', as: ['border-color'] },
  ink: { light: '#17191e', dark: '#eceef2', as: ['color', 'background'] },
  ink2: { light: '#464b55', dark: '#b6bcc7', as: ['color'] },
  ink3: { light: '#686d77', dark: '#8e95a2', as: ['color'] },
  up: { light: '#0a6b51', dark: '#4cc79f', as: ['color'] },
  upTint: { light: '#e9f6f1', dark: '#0f241d', as: ['background'] },
  down: { light: '#b3261e', dark: '#ff8a80', as: ['color'] },
  downSolid: { light: '#c8241e', dark: '#cf3a32', as: ['background'] },
  quiet: { light: '#5d636e', dark: '#9aa1ad', as: ['color'] },
  quietTint: { light: '#f1f0ed', dark: '#1b1f25', as: ['background'] },
  onButton: { light: '#ffffff', dark: '#0f1215', as: ['color'] },
  runOk: { light: '#179b73', dark: '#2f9e7a', as: ['background'] },
  runLate: { light: '#c07a00', dark: '#f2b84b', as: ['background'] },
  runFailed: { light: '#bd1e1c', dark: '#f0524a', as: ['background', 'border-color'] },
  runRunning: { light: '#2c6bdc', dark: '#5b8ff5', as: ['background'] },
  runUnknown: { light: '#717782', dark: '#7d8490', as: ['background'] },
} as const satisfies Readonly<Record<string, Shade>>;

export type Colour = keyof typeof COLOURS;

/** A letter of the class for each property. */
const LETTERS: Readonly<Record<Property, string>> = { color: 'c', background: 'b', 'border-color': 'l' };

export function classOf(property: Property, colour: Colour): string {
  return `${LETTERS[property]}-${colour}`;
}

export const FONT = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
export const MONOSPACE = "ui-monospace,Menlo,Consolas,'Courier New',monospace";

/** For the narrow screens of phones: the column takes the whole width, and a label stands above its value. */
const NARROW = [
  '.w{width:100%!important}',
  '.p{padding-left:20px!important;padding-right:20px!important}',
  '.o{padding:0!important}',
  '.r{border-radius:0!important;border-left:0!important;border-right:0!important}',
  '.fl{display:block!important;width:auto!important;padding-bottom:0!important;border-bottom:0!important}',
  '.fv{display:block!important;padding-top:0!important}',
  '.hide{display:none!important}',
].join('');

/** Also what Outlook on the web needs, which puts an attribute where it has changed a colour. */
export const STYLE_SHEET = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  `@media (max-width:620px){${NARROW}}`,
  `@media (prefers-color-scheme:dark){${darkRules(['color', 'background', 'border-color'], '')}}`,
  darkRules(['color'], '[data-ogsc] '),
].join('\n');

function darkRules(properties: readonly Property[], before: string): string {
  return (Object.entries(COLOURS) as [Colour, Shade][])
    .flatMap(([colour, { dark, as }]) =>
      as
        .filter((property) => properties.includes(property))
        .map((property) => `${before}.${classOf(property, colour)}{${property}:${dark}!important}`),
    )
    .join('');
}
