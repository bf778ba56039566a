import { Bell, Hash, Mail, Smartphone, SquareTerminal, Users, Webhook } from 'lucide-react';

/** Pictures of our own for kinds without a maker, or with a known sign. The logos of makers are theirs. */
const ICONS = {
  email: Mail,
  group: Users,
  ntfy: Smartphone,
  pd: Bell,
  shell: SquareTerminal,
  slack: Hash,
  webhook: Webhook,
  webpush: Bell,
} as const;

/** Letters that tell kinds apart whose names begin alike. */
const LETTERS = {
  matrix: '[m]',
  mattermost: 'Mm',
  msteamsw: 'Te',
  po: 'Po',
  pushbullet: 'Pb',
  spike: 'Sp',
  telegram: 'Tg',
  twilio: 'Tw',
} as const;

const isIn = <T extends object>(table: T, kind: string): kind is keyof T & string =>
  Object.hasOwn(table, kind);

/** Stands for a kind of integration: a picture, or two letters of its name. */
export function KindMark({
  kind,
  label,
  className,
}: {
  readonly kind: string;
  readonly label: string;
  /** The size of a picture. */
  readonly className: string;
}) {
  const Icon = isIn(ICONS, kind) ? ICONS[kind] : null;
  if (Icon !== null) return <Icon className={`flex-none ${className}`} />;
  return (
    <span aria-hidden="true" className="font-semibold tracking-tight">
      {isIn(LETTERS, kind) ? LETTERS[kind] : lettersOf(label)}
    </span>
  );
}

/** The first letters of two words, or of the two parts of one: “Google Chat” is Gc, and “GitHub” Gh. */
function lettersOf(label: string): string {
  const [first = '', second] = label.match(/\p{Lu}?[\p{Ll}\d]+|\p{Lu}+/gu) ?? [];
  const letters = second === undefined ? first.slice(0, 2) : first.slice(0, 1) + second.slice(0, 1);
  return letters.slice(0, 1).toUpperCase() + letters.slice(1).toLowerCase();
}
