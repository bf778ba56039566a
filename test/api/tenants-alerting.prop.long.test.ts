import '../long-form.ts';
import './tenants-alerting.prop.test.ts';
