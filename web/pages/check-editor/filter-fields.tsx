import { useState } from 'react';
import { read } from '../../app/read.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { Ago } from '../../ui/time.tsx';
import type { Settings } from './settings.ts';

const SOURCES = ['filter_http_body', 'filter_subject', 'filter_body'] as const;
const KEYWORDS = ['failure_kw', 'success_kw', 'start_kw'] as const;

/** Which pings count, and as what. */
export function FilterFields({
  settings,
  check,
  maxKeywords,
  onChange,
}: {
  readonly settings: Settings;
  /** Null for a new check, which has no pings to try keywords on. */
  readonly check: string | null;
  readonly maxKeywords: number;
  readonly onChange: (change: Partial<Settings>) => void;
}) {
  const texts = m.checkEditor;
  const { filters } = texts;
  const isLooking = SOURCES.some((source) => settings[source]);
  const isSet = isLooking || settings.methods !== '' || settings.manual_resume;
  return (
    <details open={isSet} className="border-t border-line pt-4.5">
      <summary className="cursor-pointer text-14 font-semibold">
        {filters.title} <span className="text-12 font-normal text-ink-3">· {filters.lead}</span>
      </summary>
      <div className="mt-4 grid gap-4">
        <p className="text-12">
          <DocsLink path="filters/">{m.docs.filters}</DocsLink>
        </p>
        <fieldset className="grid gap-2">
          <legend className="mb-1.5 text-13 font-medium">{filters.sources}</legend>
          {SOURCES.map((source) => (
            <Checkbox
              key={source}
              label={texts.fields[source]}
              checked={settings[source]}
              onChange={(event) => onChange({ [source]: event.target.checked })}
            />
          ))}
        </fieldset>
        {KEYWORDS.map((name, place) => (
          <Field
            key={name}
            label={texts.fields[name]}
            value={settings[name]}
            maxLength={maxKeywords}
            disabled={!isLooking}
            hint={place === 0 ? (isLooking ? filters.keywordsHint : filters.keywordsOff) : undefined}
            onChange={(event) => onChange({ [name]: event.target.value })}
          />
        ))}
        <div className="grid grid-cols-3 gap-4 max-md:grid-cols-1">
          <Select
            label={texts.fields.filter_default_fail}
            disabled={!isLooking}
            value={String(settings.filter_default_fail)}
            onChange={(event) => onChange({ filter_default_fail: event.target.value === 'true' })}
          >
            <option value="false">{filters.noMatchIgnore}</option>
            <option value="true">{filters.noMatchFail}</option>
          </Select>
          <Select
            label={texts.fields.methods}
            value={settings.methods}
            onChange={(event) => onChange({ methods: event.target.value === 'POST' ? 'POST' : '' })}
          >
            <option value="">{filters.allMethods}</option>
            <option value="POST">{filters.onlyPost}</option>
          </Select>
          <Select
            label={texts.fields.manual_resume}
            value={String(settings.manual_resume)}
            onChange={(event) => onChange({ manual_resume: event.target.value === 'true' })}
          >
            <option value="false">{filters.resumes}</option>
            <option value="true">{filters.staysPaused}</option>
          </Select>
        </div>
        {check !== null && isLooking && <FilterTrial settings={settings} check={check} />}
      </div>
    </details>
  );
}

/** Tries the keywords on a text and on the last pings. */
function FilterTrial({ settings, check }: { readonly settings: Settings; readonly check: string }) {
  const { filters } = m.checkEditor;
  const [text, setText] = useState('');
  const trial = useShownAct(read.filterTrial);
  const tryIt = () =>
    trial.run({
      check,
      startKeywords: settings.start_kw,
      successKeywords: settings.success_kw,
      failureKeywords: settings.failure_kw,
      filterDefaultFail: settings.filter_default_fail,
      text,
    });
  return (
    <section aria-label={filters.trial} className="grid gap-2.5 rounded-card border border-line p-4">
      <TextArea label={filters.trialText} value={text} onChange={(event) => setText(event.target.value)} />
      <div>
        <Button isBusy={trial.isBusy} onClick={tryIt}>
          {filters.trialButton}
        </Button>
      </div>
      <Refusal error={trial.error} />
      {trial.answer !== undefined && (
        <ul className="grid text-13" aria-live="polite">
          {trial.answer.text !== null && <Verdict name={filters.yourText} {...trial.answer.text} />}
          {trial.answer.pings.length === 0 && <li className="text-ink-3">{filters.trialNone}</li>}
          {trial.answer.pings.map((ping) => (
            <Verdict
              key={ping.n}
              name={filters.ping(ping.n)}
              at={ping.at}
              excerpt={ping.excerpt ?? filters.elsewhere}
              signal={ping.signal}
              keyword={ping.keyword}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function Verdict({
  name,
  at,
  excerpt,
  signal,
  keyword,
}: {
  readonly name: string;
  readonly at?: string;
  readonly excerpt?: string;
  readonly signal: string | null;
  readonly keyword: string | null;
}) {
  const { filters } = m.checkEditor;
  return (
    <li className="grid gap-0.5 border-t border-line py-2 first:border-t-0">
      <p className="flex flex-wrap items-baseline gap-2">
        <b>{name}</b>
        {at !== undefined && <Ago at={at} className="text-12 text-ink-3" />}
        {signal !== null && (
          <span>
            {filters.verdicts[signal] ?? signal}
            <span className="text-ink-3">
              {' '}
              · {keyword === null ? filters.noKeyword : filters.because(keyword)}
            </span>
          </span>
        )}
      </p>
      {excerpt !== undefined && <p className="truncate font-mono text-12 text-ink-3">{excerpt}</p>}
    </li>
  );
}
