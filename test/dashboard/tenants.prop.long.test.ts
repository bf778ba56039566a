import '../long-form.ts';
import './tenants.prop.test.ts';
