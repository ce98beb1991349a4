"""The documents of `passages.py`, written for it, with quotes from their screens.

Quotes are what a person selects and copies where a document is shown, or types while
reading it: with or without the quotation marks and dashes of typographers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Document:
    """A document, the format in which its text is written, and quotes from it.

    `made`: the formats of files that are made of it.
    """

    name: str
    language: str
    text: str
    quotes: tuple[str, ...]
    made: tuple[str, ...]


SHOP = Document(
    name="terms of a shop",
    language="English",
    made=("HTML", "DOCX", "PDF"),
    text="""
<html><head><title>Terms &ndash; Linden &amp; Sons</title><style>p { margin: 0 }</style></head><body>
<nav><a href="/">Home</a> | <a href="/terms">Terms</a></nav>
<h1>Terms of sale</h1>
<p>These terms apply to every order placed with Linden &amp; Sons (&ldquo;we&rdquo;, &ldquo;us&rdquo;) through
our website. They don&rsquo;t limit the rights that a consumer has by&nbsp;law.</p>
<h2>1. Returns</h2>
<p>You may return goods <strong>within 30&nbsp;days of delivery</strong>, provided that they are unused
and that you show the <em>original</em> receipt<sup>1</sup>. Goods made to measure can&rsquo;t be returned
&mdash; except
where they are faulty &mdash; and <a href="https://linden.example/vouchers?from=terms&amp;lang=en">gift
vouchers</a> never
expire.</p>
<ul>
<li>Clothing: try it on indoors and leave all labels attached.</li>
<li>Electronics: the seal of the box must be <i>un</i>broken.</li>
<li>Plants: send us a photo within 48&nbsp;hours; don&rsquo;t post the plant.</li>
</ul>
<h2>2. Delivery</h2>
<p>Standard delivery takes 3&ndash;5 working days and costs &euro;4.90; orders over &euro;60 are free. For
islands and &ldquo;hard-to-reach&rdquo; places, add 2&frac12; days.<br>Parcels over 31.5&nbsp;kg go by freight.</p>
<table>
<tr><th>Zone</th><th>Price</th><th>Days</th></tr>
<tr><td>Mainland</td><td>&euro;4.90</td><td>3&ndash;5</td></tr>
<tr><td>Islands</td><td>&euro;12.50</td><td>5&ndash;8</td></tr>
<tr><td>Rest of the world</td><td>&euro;29.00</td><td>10&ndash;20</td></tr>
</table>
<h2>3. Payment</h2>
<p>We accept cards, bank transfer and Pay&shy;Later&trade;. A bank transfer must reach us within 7 days;
otherwise the order lapses. Refunds are made by the <b>same</b> means of payment, usually within
5 to 10 days, in any event no later than 14&nbsp;days after we&rsquo;ve received the goods&hellip;</p>
<dl><dt>Business customers</dt><dd>Invoices are payable within 21 days, without discount.</dd>
<dt>Warranty</dt><dd>Two years from delivery; five years for frames (see &sect;&nbsp;9).</dd></dl>
<p>The floor of the store measures 120&nbsp;m<sup>2</sup>; a gram of CO<sub>2</sub> weighs what it weighs.</p>
<p class="note"><sup>1</sup> A photo of the receipt will do.</p>
</body></html>
""",
    quotes=(
        "You may return goods within 30 days of delivery",
        "provided that they are unused and that you show the original receipt",
        "unused and that you show the original receipt. Goods made to measure can't be returned",
        "Goods made to measure can’t be returned — except where they are faulty",
        "can't be returned - except where they are faulty - and gift vouchers never expire",
        "They don't limit the rights that a consumer has by law",
        "Linden & Sons (“we”, “us”) through our website",
        'order placed with Linden & Sons ("we", "us")',
        "the seal of the box must be unbroken",
        "send us a photo within 48 hours; don't post the plant",
        "leave all labels attached. Electronics: the seal of the box",
        "Standard delivery takes 3–5 working days and costs €4.90",
        "delivery takes 3-5 working days and costs €4.90; orders over €60 are free",
        'islands and "hard-to-reach" places, add 2½ days',
        "add 2½ days. Parcels over 31.5 kg go by freight",
        "Rest of the world €29.00 10–20",
        "Islands\t€12.50\t5–8",
        "Zone Price Days",
        "We accept cards, bank transfer and PayLater™",
        "Refunds are made by the same means of payment, usually within 5 to 10 days",
        "no later than 14 days after we've received the goods…",
        "no later than 14 days after we’ve received the goods...",
        "Business customers Invoices are payable within 21 days",
        "five years for frames (see § 9)",
        "a gram of CO2 weighs what it weighs",
        "A photo of the receipt will do.",
        "2. Delivery Standard delivery takes",
        "The floor of the store measures 120 m2",
    ),
)

GUIDE = Document(
    name="guide to a tool",
    language="English",
    made=("Markdown",),
    text="""# Larder: a guide

Larder keeps **recipes** and *shopping lists* in sync. It's _free_ for up to `3` devices, and
[paid plans](https://larder.example/plans "Plans & prices") start at $4 a month.[^plans]

## Install

1. Download the package from [the releases page](https://larder.example/releases/(stable)/2.4).
2. Run `larder setup --from-scratch`; it takes ~2&nbsp;minutes.
3. Open <https://localhost:8080> and sign in.

> **Note:** the first sync may take up to an hour, because *every* picture is
> downloaded again.

## Limits

| Plan | Devices | Storage | Price |
|:-----|--------:|:-------:|------|
| Free | 3 | 2.5 GB | $0 |
| Home | 10 | 50 GB | **$4** a month |
| Team | unlimited | 1 TB | [ask us](mailto:sales@larder.example) |

A file larger than `max_upload_size` (100 MB by default) is refused with error 413\\. You can raise
the limit in *Settings → Sync → __Advanced__*, but not above 2\\*10^9 bytes.

### Sharing

* Lists can be shared with **anyone who has the link**; recipes can't.
* ~~Guests may edit~~ Guests may only *read* since version 2.0.
    * A guest never sees your notes.
    - [x] This works offline, too.
* Removing a guest takes effect ***at once***.

![A screenshot of the sharing dialog](images/share.png) Press **Share**, then copy the link.

Backups
-------

Larder writes a backup every night at 03:00 (server time) & keeps the last fourteen. To restore one,
see [Restoring a backup][restore] or run:

```sh
larder restore --date 2026-01-31 --dry-run
```

Deleting your account removes all data within *30 days* &mdash; backups included. This can&rsquo;t be
undone<sup>1</sup>.

Keyboard | Action
--- | ---
Ctrl+K | search<br>everywhere
Ctrl+Shift+L | new list

[^plans]: Prices are without tax.
[restore]: https://larder.example/docs/restore
""",
    quotes=(
        "Larder keeps recipes and shopping lists in sync.",
        "It's free for up to 3 devices, and paid plans start at $4 a month.",
        "It’s free for up to 3 devices",
        "Download the package from the releases page.",
        "Run larder setup --from-scratch; it takes ~2 minutes.",
        "Open https://localhost:8080 and sign in.",
        "Note: the first sync may take up to an hour, because every picture is downloaded again.",
        "Home 10 50 GB $4 a month",
        "Free\t3\t2.5 GB\t$0",
        "Team unlimited 1 TB ask us",
        "Plan Devices Storage Price",
        "A file larger than max_upload_size (100 MB by default) is refused with error 413.",
        "You can raise the limit in Settings → Sync → Advanced, but not above 2*10^9 bytes.",
        "Lists can be shared with anyone who has the link; recipes can't.",
        "Guests may only read since version 2.0.",
        "This works offline, too.",
        "A guest never sees your notes. This works offline, too.",
        "Removing a guest takes effect at once.",
        "Press Share, then copy the link.",
        "Larder writes a backup every night at 03:00 (server time) & keeps the last fourteen.",
        "To restore one, see Restoring a backup or run:",
        "larder restore --date 2026-01-31 --dry-run",
        "removes all data within 30 days — backups included. This can't be undone",
        "Deleting your account removes all data within 30 days",
        "search everywhere",
        "Ctrl+Shift+L new list",
        "Prices are without tax.",
        "Sharing Lists can be shared with anyone",
    ),
)

BEES = Document(
    name="report in two columns",
    language="English",
    made=("PDF, two columns", "PDF, two columns, ligatures"),
    text="""
<h1>City bees: a five-year count</h1>
<p>Between 2019 and 2024 the volunteers of twelve neighbourhoods counted wild bees in gardens, on
balconies and along the railway. Altogether they recorded 41,233 individuals of 118 species &ndash; considerably
more than the &ldquo;sixty or so&rdquo; that an earlier, well-known survey had found.</p>
<p>The decisive difference was not the weather but the mowing: unmown strips held 3.4 times as many bees as
neighbouring lawns, although they covered only 6.5 % of the area. Ground-nesting species profited in
particular, since their burrows remain undisturbed throughout the summer.</p>
<h2>Methods</h2>
<p>Each transect was walked for fifteen minutes, on dry days with at least 16 &deg;C and little wind. Identification
followed the standard key; difficult specimens were photographed and subsequently determined by specialists.
Misidentification can&rsquo;t be excluded, but an independent re-examination of 500 photographs
yielded an error rate of merely 2.8 per cent.</p>
<p>Honeybees were left out of the analysis, because a single hive easily outnumbers all wild
bees within flying distance. We also left out observations without a photograph.</p>
<h2>Recommendations</h2>
<p>First, communities should leave at least one fifth of their grassland unmown until September. Second, so-called
insect hotels should offer hollow stems of 3 to 9 millimetres; the larger openings that are often sold
remain empty. Third, artificial lighting near flowering hedges should be switched off after 22:00,
because nocturnal pollinators are affected as well.</p>
<p>The cost of these measures is negligible: compared with conventional maintenance, the municipality
saves approximately &euro;1,900 per hectare and year&mdash;money that could be invested in
seed mixtures of regional origin. A self-contained kit for schools is available on request.</p>
""",
    quotes=(
        "the volunteers of twelve neighbourhoods counted wild bees in gardens, on balconies and along the railway",
        "Altogether they recorded 41,233 individuals of 118 species",
        "considerably more than the “sixty or so” that an earlier, well-known survey had found",
        'considerably more than the "sixty or so" that an earlier, well-known survey had found',
        "The decisive difference was not the weather but the mowing",
        "unmown strips held 3.4 times as many bees as neighbouring lawns",
        "although they covered only 6.5 % of the area",
        "Ground-nesting species profited in particular, since their burrows remain undisturbed",
        "Each transect was walked for fifteen minutes, on dry days with at least 16 °C and little wind",
        "difficult specimens were photographed and subsequently determined by specialists",
        "Misidentification can't be excluded, but an independent re-examination of 500 photographs",
        "yielded an error rate of merely 2.8 per cent",
        "because a single hive easily outnumbers all wild bees within flying distance",
        "We also left out observations without a photograph.",
        "communities should leave at least one fifth of their grassland unmown until September",
        "so-called insect hotels should offer hollow stems of 3 to 9 millimetres",
        "the larger openings that are often sold remain empty",
        "artificial lighting near flowering hedges should be switched off after 22:00",
        "because nocturnal pollinators are affected as well",
        "the municipality saves approximately €1,900 per hectare and year",
        "per hectare and year—money that could be invested in seed mixtures of regional origin",
        "A self-contained kit for schools is available on request.",
    ),
)

RENT = Document(
    name="Mietvertrag",
    language="German",
    made=("PDF, two columns", "PDF, two columns, ligatures", "HTML", "DOCX"),
    text="""
<h1>Hinweise zum Mietverhältnis</h1>
<p>Das Mietverhältnis beginnt am 1. Oktober und läuft auf unbestimmte Zeit. Die Kündigungsfrist beträgt für den
Mieter drei Monate; für den Vermieter verlängert sie sich nach fünf und nach acht Jahren seit der
Überlassung des Wohnraums um jeweils drei Monate.</p>
<p>Die Betriebskostenvorauszahlung von 185,50&nbsp;&euro; ist zusammen mit der Grundmiete spätestens am dritten
Werktag
eines Monats zu überweisen. &bdquo;Werktag&ldquo; ist auch der Samstag, soweit nicht anderes vereinbart wurde.
Über die
Vorauszahlungen wird innerhalb von zwölf Monaten nach Ende des Abrechnungszeitraums abgerechnet.</p>
<h2>Haustiere und Ruhezeiten</h2>
<p>Kleintierhaltung ist erlaubt. Hunde und Katzen bedürfen der Zustimmung des Vermieters, die nur aus wichtigem Grund
verweigert werden darf &ndash; etwa bei gefährlichen Tieren. Zwischen 22 und 6 Uhr sowie an Sonn- und Feiertagen
gilt Zimmerlautstärke; Waschmaschinen- und Trocknernutzung ist dann nicht gestattet.</p>
<h2>Schönheitsreparaturen</h2>
<p>Schönheitsreparaturen übernimmt der Vermieter. Kleinreparaturen bis 75&nbsp;&euro; im Einzelfall, höchstens
jedoch 6&nbsp;%
der Jahresgrundmiete, trägt der Mieter. Beim Auszug muss die Wohnung besenrein übergeben werden; Dübellöcher in
üblichem Umfang dürfen bleiben. Die Straße vor dem Haus wird von der Hausverwaltung geräumt.</p>
""",
    quotes=(
        "Die Kündigungsfrist beträgt für den Mieter drei Monate",
        "für den Vermieter verlängert sie sich nach fünf und nach acht Jahren seit der Überlassung des Wohnraums",
        "Die Betriebskostenvorauszahlung von 185,50 € ist zusammen mit der Grundmiete spätestens am dritten Werktag",
        "spätestens am dritten Werktag eines Monats zu überweisen",
        "„Werktag“ ist auch der Samstag, soweit nicht anderes vereinbart wurde",
        '"Werktag" ist auch der Samstag',
        "innerhalb von zwölf Monaten nach Ende des Abrechnungszeitraums abgerechnet",
        "Kleintierhaltung ist erlaubt.",
        "die nur aus wichtigem Grund verweigert werden darf - etwa bei gefährlichen Tieren",
        "Zwischen 22 und 6 Uhr sowie an Sonn- und Feiertagen gilt Zimmerlautstärke",
        "Waschmaschinen- und Trocknernutzung ist dann nicht gestattet",
        "Schönheitsreparaturen übernimmt der Vermieter",
        "Kleinreparaturen bis 75 € im Einzelfall, höchstens jedoch 6 % der Jahresgrundmiete",
        "Beim Auszug muss die Wohnung besenrein übergeben werden",
        "Dübellöcher in üblichem Umfang dürfen bleiben",
        "Die Straße vor dem Haus wird von der Hausverwaltung geräumt",
    ),
)

HISTORY = Document(
    name="history with footnotes",
    language="English",
    made=("text", "HTML", "DOCX"),
    text="""
<h1>The ferry at Arn</h1>
<p>The first ferry crossed the Arn in 1411, when the monks of St&nbsp;Oda were granted the
toll.<sup><a href="#n1">1</a></sup> It carried &ldquo;twelve men or two
horses&rdquo;<sup><a href="#n2">2</a></sup> and could be hauled by a single rope. In the great flood of 1573
the rope broke, and for nearly a decade
travellers had to go round by Ulm Bridge.<sup><a href="#n3">3</a></sup></p>
<p>A steam ferry was proposed in 1838,<sup><a href="#n4">4</a></sup> but the
council<sup><a href="#n5">5</a></sup> refused to pay for more than the boiler. Only when the railway reached
the western bank did the crossing pay for itself:
in 1869 it earned 2,340 crowns, of which 1,100 were spent on coal.</p>
<p>Since 1954 the ferry has been electric. It runs every ten minutes, except on Mondays, and is free
for pedestrians; bicycles cost half a crown.</p>
<hr>
<p><sup>1</sup> Charter 88, town archive.</p>
<p><sup>2</sup> Ibid., fol. 3.</p>
<p><sup>3</sup> A detour of nineteen miles.</p>
<p><sup>4</sup> By the engineer Ilse Brandt.</p>
<p><sup>5</sup> By nine votes to eight.</p>
""",
    quotes=(
        "The first ferry crossed the Arn in 1411, when the monks of St Oda were granted the toll.",
        "the monks of St Oda were granted the toll. It carried",
        "It carried “twelve men or two horses” and could be hauled by a single rope",
        'It carried "twelve men or two horses"',
        "In the great flood of 1573 the rope broke",
        "travellers had to go round by Ulm Bridge",
        "A steam ferry was proposed in 1838, but the council refused to pay for more than the boiler",
        "the council refused to pay for more than the boiler",
        "Only when the railway reached the western bank did the crossing pay for itself",
        "in 1869 it earned 2,340 crowns, of which 1,100 were spent on coal",
        "It runs every ten minutes, except on Mondays, and is free for pedestrians",
        "bicycles cost half a crown",
        "A detour of nineteen miles.",
    ),
)

MUSEUM = Document(
    name="musée",
    language="French",
    made=("HTML", "DOCX", "PDF"),
    text="""
<h1>Musée du Sel &ndash; informations pratiques</h1>
<p>Le musée est ouvert du mardi au dimanche, de 9&nbsp;h&nbsp;30 à 18&nbsp;h&nbsp;; il est fermé le
1<sup>er</sup>&nbsp;mai. L&rsquo;entrée coûte 8,50&nbsp;&euro; (tarif réduit&nbsp;: 5&nbsp;&euro;).
L&rsquo;accès est gratuit pour les moins de 18&nbsp;ans &laquo;&nbsp;sur présentation d&rsquo;une pièce
d&rsquo;identité&nbsp;&raquo;.</p>
<p>Peut-on payer sur place&nbsp;? Oui&nbsp;: par carte ou en espèces, jusqu&rsquo;à 1&#8239;000&nbsp;&euro;.
Les c&oelig;urs sensibles s&rsquo;abstiendront&nbsp;: l&rsquo;ascenseur descend à 210&nbsp;m&hellip;
<b>Attention</b>&nbsp;! Les chiens, m&ecirc;me tenus en
laisse, ne sont pas admis.</p>
<ul><li>Visite guidée&nbsp;: tous les jours à 15&nbsp;heures&nbsp;;</li>
<li>durée&nbsp;: environ une heure et demie&nbsp;;</li><li>réservation <a href="/billets">en ligne</a>
conseillée.</li></ul>
""",
    quotes=(
        "Le musée est ouvert du mardi au dimanche, de 9 h 30 à 18 h ; il est fermé",
        "il est fermé le 1er mai",
        "L'entrée coûte 8,50 € (tarif réduit : 5 €).",
        "L’entrée coûte 8,50 € (tarif réduit: 5 €)",
        "gratuit pour les moins de 18 ans « sur présentation d’une pièce d’identité »",
        "les moins de 18 ans \"sur présentation d'une pièce d'identité\"",
        "Peut-on payer sur place ? Oui : par carte ou en espèces, jusqu'à 1 000 €",
        "Les cœurs sensibles s'abstiendront : l'ascenseur descend à 210 m…",
        "Attention ! Les chiens, même tenus en laisse, ne sont pas admis.",
        "Visite guidée : tous les jours à 15 heures ;",
        "réservation en ligne conseillée",
    ),
)

CHINESE = Document(
    name="退货须知",
    language="Chinese",
    made=("HTML", "DOCX", "PDF", "text"),
    text="""
<h1>退货须知</h1>
<p>自收货之日起<b>30&nbsp;天内</b>，您可以无理由退货；商品须保持完好，并附上<a href="/r">原始收据</a>。定制商品
不支持退货，但质量问题除外。退款将在我们收到商品后的&nbsp;14&nbsp;个工作日内原路退回。</p>
<p>标准配送需要3～5个工作日，运费12元；订单满199元免运费。偏远地区（“西部六省”）加收20元。AI
客服全天在线，人工客服的服务时间为每天9:00—21:00。</p>
<p>会员积分有效期为两年，过期作废。积分不能兑换现金，也不能转让给他人。</p>
""",
    quotes=(
        "自收货之日起30天内，您可以无理由退货",
        "自收货之日起 30 天内",
        "商品须保持完好，并附上原始收据",
        "定制商品不支持退货，但质量问题除外",
        "退款将在我们收到商品后的14个工作日内原路退回",
        "标准配送需要3～5个工作日，运费12元",
        "标准配送需要3~5个工作日,运费12元",
        "偏远地区（“西部六省”）加收20元",
        "AI客服全天在线",
        "人工客服的服务时间为每天9:00—21:00",
        "积分不能兑换现金",
        "过期作废。积分不能兑换现金，也不能转让给他人",
    ),
)

JAPANESE = Document(
    name="ご利用案内",
    language="Japanese",
    made=("HTML", "DOCX", "PDF"),
    text="""
<h1>図書館ご利用案内</h1>
<p>貸出は一人<strong>10冊まで</strong>、期間は２週間です。次の予約がなければ、１回に限り延長できます。延滞した
場合は、返却日から同じ日数だけ貸出を停止します。</p>
<p>開館時間は午前９時から午後８時まで（土・日・祝日は午後５時まで）です。毎月第３月曜日は休館日です。
「こども室」での飲食はご遠慮ください。Wi-Fi
は無料でご利用いただけます。</p>
""",
    quotes=(
        "貸出は一人10冊まで、期間は2週間です",
        "貸出は一人10冊まで、期間は２週間です。",
        "次の予約がなければ、1回に限り延長できます",
        "延滞した場合は、返却日から同じ日数だけ貸出を停止します",
        "午後8時まで(土・日・祝日は午後5時まで)です",
        "毎月第３月曜日は休館日です",
        "「こども室」での飲食はご遠慮ください",
        "Wi-Fiは無料でご利用いただけます",
    ),
)

KOREAN = Document(
    name="반품 안내",
    language="Korean",
    made=("HTML", "DOCX", "PDF"),
    text="""
<h1>반품 안내</h1>
<p>상품을 받은 날부터 <b>30일 이내</b>에 반품할 수 있습니다. 단, 포장을 뜯은 식품은 반품할 수 없으며 배송비
3,000원은 고객이 부담합니다. 환불은 영업일 기준 5~7일이 걸립니다.</p>
<p>고객센터(☎ 1588-0000)는 평일 오전 9시부터 오후 6시까지 운영합니다. &ldquo;새벽 배송&rdquo;은 수도권에서만
가능합니다.</p>
""",
    quotes=(
        "상품을 받은 날부터 30일 이내에 반품할 수 있습니다",
        "받은 날부터 30일 이내",
        "포장을 뜯은 식품은 반품할 수 없으며",
        "배송비 3,000원은 고객이 부담합니다",
        "환불은 영업일 기준 5~7일이 걸립니다",
        "평일 오전 9시부터 오후 6시까지 운영합니다",
        '"새벽 배송"은 수도권에서만 가능합니다',
    ),
)

ARABIC = Document(
    name="شروط الإرجاع",
    language="Arabic",
    made=("HTML", "DOCX", "text"),
    text="""
<h1>شروط الإرجاع</h1>
<p dir="rtl">يمكن للمشتري إرجاع البضاعة <b>خلال ثلاثين يومًا</b> من تاريخ التسليم، بشرط أن تكون غير مستعملة وأن
يُرفق الإيصال الأصلي. لا تُقبل إعادة المنتجات المصنوعة حسب الطلب إلا إذا كانت معيبة.</p>
<p dir="rtl">تكلفة الشحن ٢٥ ريالًا، وهو مجاني للطلبات التي تزيد على ٣٠٠ ريال. يستغرق التوصيل من ٣ إلى ٥ أيام
عمل&hellip; &laquo;الدفع عند الاستلام&raquo; متاح داخل المدينة فقط؟ نعم، وبرسوم قدرها 10&nbsp;ريالات. خدمة العمـــلاء
متاحة يوميًا.</p>
""",
    quotes=(
        "يمكن للمشتري إرجاع البضاعة خلال ثلاثين يومًا من تاريخ التسليم",
        "بشرط أن تكون غير مستعملة وأن يُرفق الإيصال الأصلي",
        "لا تُقبل إعادة المنتجات المصنوعة حسب الطلب إلا إذا كانت معيبة",
        "تكلفة الشحن ٢٥ ريالًا",
        "مجاني للطلبات التي تزيد على ٣٠٠ ريال",
        "يستغرق التوصيل من ٣ إلى ٥ أيام عمل",
        '"الدفع عند الاستلام" متاح داخل المدينة فقط',
        "خدمة العملاء متاحة يوميًا",
    ),
)

HINDI = Document(
    name="वापसी की शर्तें",
    language="Hindi",
    made=("HTML", "DOCX", "text"),
    text="""
<h1>वापसी की शर्तें</h1>
<p>ग्राहक <b>तीस दिनों के भीतर</b> सामान वापस कर सकता है, बशर्ते वह इस्तेमाल न किया गया हो और मूल रसीद साथ हो।
ऑर्डर पर
बनाया गया सामान वापस नहीं लिया जाएगा।</p>
<p>डिलीवरी में ३ से ५ दिन लगते हैं और शुल्क ₹४९ है; ₹९९९ से ऊपर के ऑर्डर मुफ़्त हैं। &ldquo;नकद भुगतान&rdquo; केवल
शहरों में उपलब्ध है। शिकायत के लिए हमें सोमवार&ndash;शुक्रवार फ़ोन करें।</p>
""",
    quotes=(
        "ग्राहक तीस दिनों के भीतर सामान वापस कर सकता है",
        "बशर्ते वह इस्तेमाल न किया गया हो और मूल रसीद साथ हो",
        "ऑर्डर पर बनाया गया सामान वापस नहीं लिया जाएगा।",
        "डिलीवरी में ३ से ५ दिन लगते हैं और शुल्क ₹४९ है",
        "₹९९९ से ऊपर के ऑर्डर मुफ़्त हैं",
        '"नकद भुगतान" केवल शहरों में उपलब्ध है',
        "हमें सोमवार-शुक्रवार फ़ोन करें",
    ),
)

THAI = Document(
    name="การคืนสินค้า",
    language="Thai",
    made=("HTML", "DOCX", "PDF"),
    text="""
<h1>การคืนสินค้า</h1>
<p>ลูกค้าสามารถคืนสินค้าได้<b>ภายใน 30 วัน</b>นับจากวันที่ได้รับสินค้า โดยสินค้าต้องยังไม่ได้ใช้งานและมีใบเสร็จตัวจริง
ค่าจัดส่ง 50 บาท ฟรีเมื่อสั่งซื้อเกิน 500 บาท</p>
<p>การจัดส่งใช้เวลา 3&ndash;5 วันทำการ &ldquo;เก็บเงินปลายทาง&rdquo; มีเฉพาะในกรุงเทพฯ</p>
""",
    quotes=(
        "ลูกค้าสามารถคืนสินค้าได้ภายใน 30 วัน",
        "ภายใน 30 วันนับจากวันที่ได้รับสินค้า",
        "สินค้าต้องยังไม่ได้ใช้งานและมีใบเสร็จตัวจริง",
        "ค่าจัดส่ง 50 บาท ฟรีเมื่อสั่งซื้อเกิน 500 บาท",
        "การจัดส่งใช้เวลา 3-5 วันทำการ",
        '"เก็บเงินปลายทาง" มีเฉพาะในกรุงเทพฯ',
    ),
)

DOCUMENTS = (
    SHOP,
    GUIDE,
    BEES,
    RENT,
    HISTORY,
    MUSEUM,
    CHINESE,
    JAPANESE,
    KOREAN,
    ARABIC,
    HINDI,
    THAI,
)


HOSTILE = (
    # numbers
    ("The plan has 2.5 GB of storage.", "5 GB of storage"),
    ("Der Tarif hat 2,5 GB Speicher.", "5 GB Speicher"),
    ("The plan has .5 GB of storage.", "5 GB of storage"),
    ("The plan has 15 GB of storage.", "5 GB of storage"),
    ("It needs version 2.10 or later.", "version 2"),
    ("It needs version 2.10 or later.", "version 2.1"),
    ("It needs version 12 or later.", "version 1"),
    ("It needs version 2a or later.", "version 2"),
    ("The fee is €1,500 a month.", "The fee is €1"),
    ("The fee is 1'500 francs.", "500 francs"),
    ("Les frais sont de 1 500 euros.", "500 euros"),
    ("The fee is 1.500 euros.", "500 euros"),
    ("Store it at -5 °C or below.", "5 °C or below"),
    ("Store it at −5 °C or below.", "5 °C or below"),
    ("Store it at –5 °C or below.", "5 °C or below"),
    ("a loss (-300 euros) in May", "300 euros"),
    ("It takes 3–5 working days.", "5 working days"),
    ("It takes 3-5 working days.", "It takes 3"),
    ("Open from 9:30 to 17:00.", "Open from 9"),
    ("On 2026-01-31 it ended.", "On 2026-01"),
    ("In 1/2 of all cases it works.", "2 of all cases"),
    ("Add 2½ days for islands.", "Add 2"),
    ("Size 5½ is sold out.", "Size 51/2 is sold out"),
    ("Up to 10² units are free.", "Up to 102 units are free"),
    ("Up to 10² units are free.", "Up to 10"),
    ("The area is 50 m².", "The area is 50 m2"),
    ("Dial 030-1234567 to reach us.", "1234567 to reach us"),
    ("The network is 10.0.0.1/24.", "The network is 10"),
    ("See items 3, 4 and 5.", "items 3,4"),
    ("Sections 1.2 and 1.3 apply.", "3 apply"),
    ("The rate is 5‰ a year.", "The rate is 5% a year"),
    ("السعر ٢٫٥ ريال فقط", "٥ ريال فقط"),
    ("शुल्क ₹४९९ है", "शुल्क ₹४९"),
    ("第50条规定如下", "第5"),
    ("共120元", "20元"),
    # words within words
    ("The returns were late.", "The return"),
    ("All returns are free.", "turns are free"),
    ("Unlimited calls to all networks", "limited calls"),
    ("Data is unencrypted at rest.", "encrypted at rest"),
    ("Invalid licences are refused.", "valid licences"),
    ("You cannot return it.", "You can"),
    ("You don't pay for returns.", "You do"),
    ("Set max_size_limit to 5.", "Set max_size"),
    ("Set max_size to 5.", "size to 5"),
    ("Set max_size to 5.", "Set maxsize to 5"),
    ("The cafés are closed.", "The café"),
    ("Die Kündigungsfristen sind lang.", "Die Kündigungsfrist"),
    ("Die Mietkaution beträgt drei Monatsmieten.", "Kaution beträgt"),
    ("Unwirksam sind alle Klauseln", "wirksam sind alle Klauseln"),
    ("यह काम करना है", "यह काम कर"),
    ("यहाँ कमी है", "यहाँ कम"),
    ("दिनों के भीतर", "दिन"),
    ("हमारा किताबघर खुला है", "हमारा किताब"),
    ("सामान नापसंद है", "पसंद है"),
    ("كتبت الرسالة أمس", "كتب"),
    ("والبضاعة المعيبة تُعاد", "البضاعة المعيبة"),
    ("Непригодный товар возвращается", "пригодный товар"),
    ("Товары не возвращаются", "Товар"),
    ("Το ακατάλληλο προϊόν", "κατάλληλο προϊόν"),
    ("東京都に住む", "京都に住む"),
    ("不可以退货", "可以退货"),
    ("사과문을 발표했다", "사과"),
    ("ไม่สามารถคืนได้", "สามารถคืนได้"),
    # other marks, other letters
    ("It's free of charge.", "Its free of charge"),
    ("We're open on Sundays.", "Were open on Sundays"),
    ("The resume function is off.", "The résumé function is off"),
    ("Das Wetter ist schön.", "Das Wetter ist schon"),
    ("El año pasado", "El ano pasado"),
    (
        "Refunds take 14 days. Exchanges are free.",
        "Refunds take 14 days, exchanges are free",
    ),
    ("Is it refundable? No.", "It is refundable"),
    ("C++ is supported.", "C is supported"),
    ("The price is $5.", "The price is €5"),
    ("Prices are + 5 %.", "Prices are - 5 %"),
    ("x < 5 is allowed", "x > 5 is allowed"),
    ("x ≤ 5 is allowed", "x < 5 is allowed"),
    ("The ratio is 5:1.", "The ratio is 5.1"),
    ("The sum is 1,5.", "The sum is 1.5"),
    ("Send it to a.b@example.org", "Send it to ab@example.org"),
    ("the therapist was on time", "the the rapist was on time"),
    ("every day use", "everyday use"),
    ("a part of it", "apart of it"),
    ("the US office", "the U.S. office"),
    ("Use items[1] for the name.", "Use items[0] for the name."),
    ("Section 4.2 of [the act](https://x.example/5)", "Section 4.2 of the act 5"),
    ("| Free | 3 |\n|---|---|\n| Home | 10 |", "Free 10"),
    ("Free: 3 devices\n\nHome: 10 devices", "Free: 10 devices"),
    # what only a reader tells apart
    ("You are not eligible for a refund.", "eligible for a refund"),
    ("Items are non-refundable.", "refundable"),
    ("You can't return it.", "You can"),
    ("It is false that returns are free.", "returns are free"),
    ("~~Guests may edit lists~~ Guests may read", "Guests may edit lists"),
    ("He will re-\nsign the contract.", "He will resign"),
    ("10 km/h is the limit", "10 km"),
    ("Contact the US office", "Contact the us office"),
    ("Up to 5 – 10 GB", "10 GB"),
    ("more than 30 days", "30 days"),
    ("<!-- returns are free -->", "returns are free"),
    ("at least $5 million", "at least $5"),
)
"""Texts, each with a quote that it does not hold, but looks as if it did."""
