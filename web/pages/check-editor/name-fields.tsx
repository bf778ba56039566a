import { useQuery } from '@tanstack/react-query';
import { read } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Field } from '../../ui/field.tsx';
import { Note } from '../../ui/note.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import type { Choices, EditedPlace, Settings } from './settings.ts';

const SLUG = /^[a-z0-9_-]*$/;
const lengthOf = (text: string) => [...text].length;
/** So many characters before the limit, the rest is counted. */
const COUNTED = 20;

const countdown = (text: string, limit: number): string | undefined =>
  lengthOf(text) > limit - COUNTED
    ? m.checkEditor.charactersLeft(Math.max(0, limit - lengthOf(text)))
    : undefined;

/** The error of a setting, before it is sent. */
export function textFault(
  field: keyof Settings,
  { name, tags = '', slug }: Pick<Settings, 'name' | 'slug'> & Partial<Pick<Settings, 'tags'>>,
  limits: Choices['limits'],
): string | null {
  const { tooLong, slugWrong } = m.checkEditor;
  if (field === 'name' && lengthOf(name) > limits.name) return tooLong(limits.name);
  if (field === 'tags' && lengthOf(tags) > limits.tags) return tooLong(limits.tags);
  if (field === 'slug' && !SLUG.test(slug)) return slugWrong;
  if (field === 'slug' && slug.length > limits.slug) return tooLong(limits.slug);
  return null;
}

/** Name, slug, tags and description. */
export function NameFields({
  settings,
  choices,
  place,
  errorOf,
  onChange,
}: {
  readonly settings: Settings;
  readonly choices: Choices;
  readonly place: EditedPlace;
  readonly errorOf: (name: keyof Settings) => string | null;
  readonly onChange: (change: Partial<Settings>) => void;
}) {
  const texts = m.checkEditor;
  const { name, slug, tags } = settings;
  const { data: about } = useQuery({
    queryKey: ['slug', place, name, slug],
    queryFn: () => read.slugAdvice({ ...place, name, slug }),
    enabled: name !== '' || slug !== '',
    gcTime: 10_000,
  });
  const suggestion = about?.suggestion ?? '';
  const slugError = errorOf('slug');
  return (
    <div className="grid gap-4.5">
      <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
        <Field
          label={texts.fields.name}
          value={name}
          autoFocus={name === ''}
          error={errorOf('name')}
          hint={countdown(name, choices.limits.name)}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <div className="grid content-start gap-1.5">
          <Field
            label={texts.fields.slug}
            value={slug}
            spellCheck={false}
            autoComplete="off"
            className="font-mono"
            error={slugError}
            hint={slugError !== null ? undefined : slug === '' ? texts.slugEmpty : texts.slugHint(slug)}
            onChange={(event) => onChange({ slug: event.target.value })}
          />
          {suggestion !== '' && suggestion !== slug && (slug === '' || slugError !== null) && (
            <button
              type="button"
              className="justify-self-start text-12 text-link underline underline-offset-2"
              onClick={() => onChange({ slug: suggestion })}
            >
              {texts.use(suggestion)}
            </button>
          )}
          {slug !== '' && slugError === null && about?.takenBy != null && (
            <Note kind="late">{texts.slugTaken(about.takenBy)}</Note>
          )}
        </div>
      </div>
      <TagsField
        tags={tags}
        known={choices.tags}
        hint={countdown(tags, choices.limits.tags) ?? texts.tagsHint}
        error={errorOf('tags')}
        onChange={(next) => onChange({ tags: next })}
      />
      <TextArea
        label={texts.fields.desc}
        hint={texts.descHint}
        value={settings.desc}
        error={errorOf('desc')}
        rows={2}
        onChange={(event) => onChange({ desc: event.target.value })}
      />
    </div>
  );
}

const MAX_OFFERED = 12;

/** Tags as a text, and the project's tags to add. */
function TagsField({
  tags,
  known,
  hint,
  error,
  onChange,
}: {
  readonly tags: string;
  readonly known: readonly string[];
  readonly hint: string;
  readonly error: string | null;
  readonly onChange: (tags: string) => void;
}) {
  const texts = m.checkEditor;
  const present = tags.split(' ').filter((tag) => tag !== '');
  const offered = known.filter((tag) => !present.includes(tag)).slice(0, MAX_OFFERED);
  return (
    <Field
      label={texts.fields.tags}
      value={tags}
      autoComplete="off"
      error={error}
      hint={
        <span className="flex flex-wrap items-center gap-1.5 max-md:gap-x-2 max-md:gap-y-3">
          <span>{hint}</span>
          {offered.map((tag) => (
            <button
              key={tag}
              type="button"
              onClick={() => onChange([...present, tag].join(' '))}
              className="inline-flex h-6 items-center rounded-chip bg-quiet-t px-2 text-11 font-medium text-ink-2 hover:text-ink max-md:h-8"
            >
              + {tag}
            </button>
          ))}
        </span>
      }
      onChange={(event) => onChange(event.target.value)}
      onBlur={() => onChange(present.join(' '))}
    />
  );
}
