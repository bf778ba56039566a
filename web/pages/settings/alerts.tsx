import { m } from '../../messages/index.ts';
import { OwnWaysSection } from './own-ways-section.tsx';
import { QuietTimesSection } from './quiet-times-section.tsx';
import { SettingsPage } from './settings-page.tsx';
import { WhenToTellSection } from './when-to-tell-section.tsx';
import { WorkingHoursSection } from './working-hours-section.tsx';

/** How the outages of a project are told. Each part is a file of its own, and stands here in the order of the page. */
export function Alerts() {
  return (
    <SettingsPage title={m.alerts.title}>
      <WhenToTellSection />
      <QuietTimesSection />
      <WorkingHoursSection />
      <OwnWaysSection />
    </SettingsPage>
  );
}
