import { globSync, readFileSync } from 'node:fs'
import { seeded } from '../../test/support/seeded.ts'

const installed = new URL('../../../../node_modules/.pnpm/', import.meta.url)

/** Translations of the compiler's messages, which come with it: technical prose in each language. */
const translated: Readonly<Record<string, string>> = {
  German: 'de',
  French: 'fr',
  Spanish: 'es',
  Polish: 'pl',
  Turkish: 'tr',
  Russian: 'ru',
  Korean: 'ko',
  'Chinese prose': 'zh-cn',
  'Japanese prose': 'ja',
}

/** Written for this measurement, since nothing installed holds enough of these languages. */
const written: Readonly<Record<string, readonly string[]>> = {
  Arabic: [
    'كان الطقس جميلا صباح اليوم، فخرجنا نمشي على شاطئ البحر قبل أن نذهب إلى العمل.',
    'تعتمد تكلفة الطلب على عدد الكلمات التي يقرؤها النموذج وعلى طول الإجابة التي يكتبها.',
    'يمكنك دفع المبلغ مقدما، ويعاد إليك الباقي بعد انتهاء الخدمة مباشرة.',
    'درس أخي الهندسة في جامعة القاهرة ثم سافر إلى المغرب ليعمل في شركة للبرمجيات.',
    'من فضلك، اشرح لي كيف تعمل هذه الخوارزمية خطوة بخطوة مع مثال بسيط.',
    'أعلنت الحكومة عن خطة جديدة لتطوير التعليم والصحة في المناطق الريفية خلال خمس سنوات.',
    'لا أعرف أين وضعت مفتاح السيارة، هل رأيته على الطاولة أو بجانب الباب؟',
    'المكتبة مفتوحة من الساعة التاسعة صباحا حتى الثامنة مساء ما عدا يوم الجمعة.',
    'يجب حفظ البيانات الشخصية في مكان آمن وعدم مشاركتها مع أي طرف آخر دون إذن.',
    'قرأت رواية طويلة عن تاريخ المدينة القديمة وأهلها وأسواقها المزدحمة.',
  ],
  Hindi: [
    'आज सुबह मौसम बहुत अच्छा था, इसलिए हम काम पर जाने से पहले नदी के किनारे टहलने गए।',
    'अनुरोध की कीमत इस पर निर्भर करती है कि मॉडल कितने शब्द पढ़ता है और कितना लंबा उत्तर लिखता है।',
    'आप पहले से भुगतान कर सकते हैं और बची हुई राशि सेवा समाप्त होते ही वापस मिल जाती है।',
    'मेरे भाई ने दिल्ली विश्वविद्यालय में पढ़ाई की और फिर एक सॉफ़्टवेयर कंपनी में नौकरी शुरू की।',
    'कृपया एक सरल उदाहरण के साथ समझाइए कि यह एल्गोरिदम कैसे काम करता है।',
    'सरकार ने गाँवों में शिक्षा और स्वास्थ्य सुधारने के लिए पाँच साल की नई योजना की घोषणा की।',
    'मुझे नहीं पता कि मैंने गाड़ी की चाबी कहाँ रखी, क्या आपने उसे मेज़ पर देखा?',
    'पुस्तकालय सुबह नौ बजे से शाम आठ बजे तक खुला रहता है, रविवार को छोड़कर।',
    'निजी जानकारी को सुरक्षित रखना चाहिए और बिना अनुमति किसी से साझा नहीं करना चाहिए।',
    'मैंने पुराने शहर के इतिहास और उसके बाज़ारों पर एक लंबा उपन्यास पढ़ा।',
  ],
  Thai: [
    'เช้านี้อากาศดีมาก เราจึงไปเดินเล่นริมแม่น้ำก่อนไปทำงาน',
    'ราคาของคำขอขึ้นอยู่กับจำนวนคำที่แบบจำลองอ่านและความยาวของคำตอบที่เขียน',
    'คุณสามารถจ่ายเงินล่วงหน้าได้ และส่วนที่เหลือจะคืนให้ทันทีเมื่อบริการสิ้นสุด',
    'พี่ชายของฉันเรียนวิศวกรรมที่มหาวิทยาลัยในกรุงเทพ แล้วไปทำงานที่บริษัทซอฟต์แวร์',
    'กรุณาอธิบายว่าขั้นตอนวิธีนี้ทำงานอย่างไรพร้อมตัวอย่างง่ายๆ',
    'รัฐบาลประกาศแผนใหม่เพื่อพัฒนาการศึกษาและสาธารณสุขในชนบทภายในห้าปี',
    'ฉันไม่รู้ว่าวางกุญแจรถไว้ที่ไหน คุณเห็นมันบนโต๊ะหรือข้างประตูไหม',
    'ห้องสมุดเปิดตั้งแต่เก้าโมงเช้าถึงสองทุ่ม ยกเว้นวันอาทิตย์',
    'ต้องเก็บข้อมูลส่วนตัวไว้ในที่ปลอดภัยและไม่เปิดเผยแก่ผู้อื่นโดยไม่ได้รับอนุญาต',
    'ฉันอ่านนิยายเรื่องยาวเกี่ยวกับประวัติศาสตร์ของเมืองเก่าและตลาดที่พลุกพล่าน',
  ],
  Vietnamese: [
    'Sáng nay trời rất đẹp nên chúng tôi đi dạo bên bờ sông trước khi đến chỗ làm.',
    'Giá của một yêu cầu phụ thuộc vào số từ mà mô hình đọc và độ dài câu trả lời nó viết.',
    'Bạn có thể trả tiền trước, phần còn lại sẽ được hoàn ngay khi dịch vụ kết thúc.',
    'Anh trai tôi học kỹ thuật ở trường đại học Hà Nội rồi làm việc cho một công ty phần mềm.',
    'Xin hãy giải thích từng bước thuật toán này hoạt động thế nào với một ví dụ đơn giản.',
    'Chính phủ công bố kế hoạch mới nhằm phát triển giáo dục và y tế ở nông thôn trong năm năm.',
    'Tôi không biết mình để chìa khóa xe ở đâu, bạn có thấy nó trên bàn hay cạnh cửa không?',
    'Thư viện mở cửa từ chín giờ sáng đến tám giờ tối, trừ ngày chủ nhật.',
    'Dữ liệu cá nhân phải được giữ an toàn và không chia sẻ với ai khi chưa được phép.',
    'Tôi đã đọc một cuốn tiểu thuyết dài về lịch sử thành phố cổ và những khu chợ đông đúc.',
  ],
}

/** Texts of about `units` UTF-16 units by language. */
export function languageTexts(units: number): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [language, code] of Object.entries(translated)) {
    texts.set(language, messages(code).slice(0, units))
  }
  for (const [language, sentences] of Object.entries(written)) {
    texts.set(language, drawn(sentences, units))
  }
  return texts
}

function messages(code: string): string {
  const pattern = `typescript@6*/node_modules/typescript/lib/${code}/diagnosticMessages*.json`
  const [file] = globSync(pattern, { cwd: installed })
  if (file === undefined) throw new Error(`The compiler's messages in ${code} are not installed`)
  const list: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(new URL(file, installed), 'utf8'),
  )
  return Object.values(list).join('\n')
}

function drawn(sentences: readonly string[], units: number): string {
  const { pick } = seeded(units)
  const parts: string[] = []
  for (let length = 0; length < units; ) {
    const sentence = pick(sentences)
    parts.push(sentence)
    length += sentence.length + 1
  }
  return parts.join(' ').slice(0, units)
}
