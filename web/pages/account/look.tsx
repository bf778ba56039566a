import { useSuspenseQuery } from '@tanstack/react-query';
import { use } from 'react';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Section } from '../../ui/section.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Select } from '../../ui/select.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { PersonsTimes, useNow } from '../../ui/time.tsx';
import { BROWSER_STYLE, clockTime } from '../../ui/times.ts';
import { AccountPage } from './account-page.tsx';
import { useSetting } from './use-setting.ts';

const t = m.account.look;

const MINUTE_MS = 60_000;
const ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
const LANGUAGES = [
  ...['en-GB', 'en-US', 'cs', 'da', 'de', 'de-AT', 'de-CH', 'es', 'et', 'fi', 'fr', 'it', 'ja', 'ko', 'lt'],
  ...['lv', 'nb', 'nl', 'pl', 'pt-BR', 'pt-PT', 'ro', 'sv', 'tr', 'uk', 'zh-Hans', 'zh-Hant'],
];

/** The style of times in pages and mails, and the look of pages. */
export function Look() {
  const { data: account } = useSuspenseQuery(query.account());
  return (
    <AccountPage title={t.title}>
      <Section title={t.title} lead={t.lead}>
        <Card className="[&>div]:py-0.5">
          <Zone tz={account.tz} />
          <Language language={account.language} />
          <Choice setting="dateFormat" title={t.date} value={account.dateFormat} words={t.dates} />
          <Choice setting="clock" title={t.clock} value={account.clock} words={t.clocks} />
          <Choice setting="theme" title={t.theme} lead={t.themeLead} value={account.theme} words={t.themes} />
        </Card>
      </Section>
    </AccountPage>
  );
}

function Choice({
  setting,
  title,
  lead,
  value,
  words,
}: {
  readonly setting: 'dateFormat' | 'clock' | 'theme';
  readonly title: string;
  readonly lead?: string;
  readonly value: string;
  /** The names of the choices. */
  readonly words: Readonly<Record<string, string>>;
}) {
  const { save } = useSetting(setting, title);
  return (
    <SettingRow title={title} lead={lead}>
      <Segments
        label={title}
        value={value}
        choices={Object.entries(words).map(([one, label]) => ({ value: one, label }))}
        onChange={save}
      />
    </SettingRow>
  );
}

function Zone({ tz }: { readonly tz: string }) {
  const { save } = useSetting('tz', t.zone);
  const style = use(PersonsTimes);
  const now = useNow(MINUTE_MS);
  const own = BROWSER_STYLE.tz;
  const zones = ZONES.includes(tz) ? ZONES : [tz, ...ZONES];
  return (
    <SettingRow
      title={t.zone}
      lead={`${own === tz ? t.zoneSame : t.zoneOther(own)} ${t.nowThere(clockTime(now, { ...style, tz }))}`}
    >
      {own !== tz && (
        <Button size="small" onClick={() => save(own)}>
          {t.adopt(own)}
        </Button>
      )}
      <div className="w-[220px] max-w-full">
        <Select
          label={t.zone}
          isLabelHidden
          value={tz}
          options={zones.map((zone) => [zone, zone])}
          onChange={({ target }) => save(target.value)}
        />
      </div>
    </SettingRow>
  );
}

function Language({ language }: { readonly language: string }) {
  const { save } = useSetting('language', t.language);
  const tags = language === '' || LANGUAGES.includes(language) ? LANGUAGES : [language, ...LANGUAGES];
  return (
    <SettingRow title={t.language} lead={t.languageLead}>
      <div className="w-[220px] max-w-full">
        <Select
          label={t.language}
          isLabelHidden
          value={language}
          onChange={({ target }) => save(target.value)}
        >
          <option value="">{t.browser}</option>
          {tags.map((tag) => (
            <option key={tag} value={tag} lang={tag}>
              {new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag}
            </option>
          ))}
        </Select>
      </div>
    </SettingRow>
  );
}
